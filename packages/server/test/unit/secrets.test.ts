import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import { keyKindOf } from '@svc/contract'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { masterKeyOfFolder, parseMasterKeys } from '../../src/secrets/master-key.ts'
import { mintKey, mintSigningSecret } from '../../src/secrets/mint.ts'
import { Secret, toSecret } from '../../src/secrets/secret.ts'

const VALUE = 'hunter2-hunter2-hunter2'

describe('a secret never prints', () => {
  const secret = new Secret(VALUE)
  const holder = { secret, list: [secret], map: new Map([['secret', secret]]) }

  test.each<[string, () => unknown]>([
    ['as JSON', () => JSON.stringify(holder)],
    ['as JSON of its members', () => JSON.stringify({ ...secret })],
    ['in a template', () => `${secret}`],
    ['added to text', () => `${''}${String(secret)}`],
    ['joined', () => [secret, secret].join()],
    ['inspected', () => inspect(holder, { depth: null, showHidden: true })],
    [
      'inspected without its own word',
      () => inspect(holder, { depth: null, customInspect: false, showHidden: true, getters: true }),
    ],
    ['formatted', () => format('%s %j %o %O %d', secret, holder, holder, holder, secret)],
    ['spread', () => inspect({ ...secret }, { showHidden: true })],
    [
      'by its keys',
      () => inspect([Reflect.ownKeys(secret), Object.getOwnPropertyDescriptors(secret), Object.entries(secret)]),
    ],
    ['cloned', () => inspect(structuredClone({ secret }), { showHidden: true })],
    ['serialised', () => serialize({ secret }).toString('latin1')],
    ['in an error', () => inspect(new Error(`no ${secret}`, { cause: { secret } }))],
  ])('%s', (_, show) => {
    expect(show()).not.toContain('hunter2')
  })

  test('not even in a log line, bound or passed, or as the cause of an error', () => {
    const lines: string[] = []
    const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
    logger.info({ secret, holder }, 'has %s and %j and %o', secret, secret, secret)
    logger.child({ secret }).error({ err: Object.assign(new Error('no', { cause: secret }), { secret }) })
    expect(lines).toHaveLength(2)
    expect(lines.join()).not.toContain('hunter2')
    expect(lines.join()).toContain('[secret]')
  })

  test('and is revealed on request', () => {
    expect(secret.reveal()).toBe(VALUE)
    expect(toSecret(VALUE)?.reveal()).toBe(VALUE)
    expect(toSecret(undefined)).toBeUndefined()
    expect(new Secret('é😀').byteLength).toBe(6)
  })
})

describe('new credentials', () => {
  // holds KEY-01
  test.each(['account', 'deploy', 'public'] as const)('an %s key is well-formed and of its kind', (kind) => {
    const keys = Array.from({ length: 300 }, () => mintKey(kind).reveal())
    expect(keys.map(keyKindOf)).toEqual(keys.map(() => kind))
    expect(new Set(keys).size).toBe(300)
    expect(new Set(keys.flatMap((key) => [...key.slice(7, 39)])).size).toBe(62)
  })

  // holds KEY-03
  test('a signing secret is 32 bytes in base64url', () => {
    const secrets = Array.from({ length: 100 }, () => mintSigningSecret().reveal())
    expect(new Set(secrets).size).toBe(100)
    for (const secret of secrets) {
      expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    }
  })
})

describe('a ring of master keys', () => {
  const key = (fill: number) => Buffer.alloc(32, fill)

  // holds OPS-05
  test('is parsed in order, without blanks around its entries', () => {
    const ring = ` ${key(1).toString('base64')} ,${key(2).toString('base64')},\n${key(3).toString('base64url')}`
    expect(parseMasterKeys(ring)).toEqual([key(1), key(2), key(3)])
  })

  test.each([
    ['', 'nothing'],
    [',', 'empty entries'],
    [Buffer.alloc(31).toString('base64'), '31 bytes'],
    [Buffer.alloc(33).toString('base64'), '33 bytes'],
    [Buffer.alloc(32).toString('hex'), 'hex'],
    [`${Buffer.alloc(32).toString('base64')},`, 'a trailing comma'],
    [`${Buffer.alloc(32).toString('base64')},short`, 'one short entry'],
    ['correct horse battery staple', 'words'],
  ])('refuses %j (%s), names the fix and repeats no part of the value', (ring) => {
    expect(() => parseMasterKeys(ring)).toThrow(/32 bytes in base64.*openssl rand -base64 32/)
    expect(() => parseMasterKeys(ring)).not.toThrow(/horse/)
  })
})

describe('the master key of a data folder', () => {
  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'svc-key-'))
    onTestFinished(() => rmSync(made, { recursive: true }))
    return made
  }

  const keyOf = (data: string) => masterKeyOfFolder(data, join(data, 'svc.db'))

  // holds OPS-06
  test('is created on the first start with mode 0600, and stays the same', () => {
    const data = folder()
    const [first] = keyOf(data)
    expect(first).toHaveLength(32)
    expect(statSync(join(data, 'master.key')).mode & 0o777).toBe(0o600)
    expect(keyOf(data)).toEqual([first])
    expect(keyOf(folder())).not.toEqual([first])
  })

  test('is never replaced: a damaged one is reported and kept', () => {
    const data = folder()
    keyOf(data)
    const file = join(data, 'master.key')
    for (const damaged of ['', 'AAAA\n']) {
      writeFileSync(file, damaged)
      expect(() => keyOf(data)).toThrow(`${file} does not hold a master key`)
      expect(readFileSync(file, 'utf8')).toBe(damaged)
    }
  })

  test('is not created beside an existing database', () => {
    const data = folder()
    const made = keyOf(data)
    writeFileSync(join(data, 'svc.db'), '')
    expect(keyOf(data)).toEqual(made)
    rmSync(join(data, 'master.key'))
    expect(() => keyOf(data)).toThrow(`Restore ${join(data, 'master.key')}, or set SVC_MASTER_KEY`)
    expect(existsSync(join(data, 'master.key'))).toBe(false)
  })
})
