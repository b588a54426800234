import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createKeyring, SealError } from '../../src/secrets/keyring.ts'
import { Secret } from '../../src/secrets/secret.ts'

const OLD = Buffer.alloc(32, 1)
const NEW = Buffer.alloc(32, 2)
const OTHER = Buffer.alloc(32, 3)
const ROW = { table: 'runtimes', column: 'secret_sealed', rowId: 'rt_shop0001' }

const keyring = createKeyring([OLD])
const text = fc.string({ unit: 'grapheme', maxLength: 200 })

function partsOf(sealed: string): { format: string; id: string; iv: Buffer; text: Buffer; tag: Buffer } {
  const [format = '', id = '', ...rest] = sealed.split('.')
  const [iv, content, tag] = rest.map((part) => Buffer.from(part, 'base64url'))
  if (!iv || !content || !tag) throw new Error(`${sealed} is not sealed`)
  return { format, id, iv, text: content, tag }
}

function join({ format, id, iv, text: content, tag }: ReturnType<typeof partsOf>): string {
  return [format, id, ...[iv, content, tag].map((part) => part.toString('base64url'))].join('.')
}

describe('sealing', () => {
  test('opens what it sealed, whatever the value', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(keyring.open(keyring.seal(new Secret(value), ROW), ROW).reveal()).toBe(value)
      }),
      { numRuns: 300, seed: 1 },
    )
  })

  // holds KEY-04
  test('shows nothing of the value, and is different each time', () => {
    const sealed = Array.from({ length: 200 }, () => keyring.seal(new Secret('hunter2-hunter2'), ROW))
    expect(new Set(sealed).size).toBe(200)
    for (const each of sealed) {
      expect(each).not.toContain('hunter2')
      expect(partsOf(each).text.toString('latin1')).not.toContain('hunter2')
    }
    expect(new Set(sealed.map((each) => partsOf(each).iv.toString('hex'))).size).toBe(200)
  })

  // holds KEY-05
  test('a value does not open on another row, in another column or in another table', () => {
    const sealed = keyring.seal(new Secret('hunter2'), ROW)
    for (const elsewhere of [
      { ...ROW, rowId: 'rt_shop0002' },
      { ...ROW, column: 'previous_secret_sealed' },
      { ...ROW, table: 'credentials' },
      { table: 'runtimes","secret_sealed', column: '', rowId: 'rt_shop0001' },
      { ...ROW, rowId: '' },
    ]) {
      expect(() => keyring.open(sealed, elsewhere)).toThrow(SealError)
    }
  })

  test('rows whose concatenated names are equal are told apart', () => {
    const sealed = keyring.seal(new Secret('hunter2'), { table: 'a', column: 'b', rowId: 'c' })
    for (const [table, column, rowId] of [
      ['ab', '', 'c'],
      ['a', 'bc', ''],
      ['', 'ab', 'c'],
      ['a,b', 'c', ''],
    ]) {
      expect(() => keyring.open(sealed, { table: table ?? '', column: column ?? '', rowId: rowId ?? '' })).toThrow(
        SealError,
      )
    }
  })
})

describe('a damaged value', () => {
  const sealed = keyring.seal(new Secret('a secret of some length'), ROW)

  test('does not open with any bit flipped', () => {
    for (const part of ['iv', 'text', 'tag'] as const) {
      const whole = partsOf(sealed)
      for (let bit = 0; bit < whole[part].length * 8; bit += 1) {
        const turned = Buffer.from(whole[part])
        turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(() => keyring.open(join({ ...whole, [part]: turned }), ROW)).toThrow(SealError)
      }
    }
  })

  // holds KEY-06
  test('does not open with a shortened tag', () => {
    const whole = partsOf(sealed)
    expect(whole.tag).toHaveLength(16)
    for (let length = 0; length < 16; length += 1) {
      expect(() => keyring.open(join({ ...whole, tag: whole.tag.subarray(0, length) }), ROW)).toThrow(SealError)
    }
    expect(() => keyring.open(join({ ...whole, tag: Buffer.concat([whole.tag, Buffer.alloc(1)]) }), ROW)).toThrow(
      SealError,
    )
  })

  test('does not open with a part missing, added or exchanged', () => {
    const parts = sealed.split('.')
    const without = parts.map((_, index) => parts.filter((__, at) => at !== index).join('.'))
    const other = partsOf(keyring.seal(new Secret('another secret, as long!'), ROW))
    const mixed = [join({ ...partsOf(sealed), iv: other.iv }), join({ ...partsOf(sealed), tag: other.tag })]
    for (const damaged of [...without, `${sealed}.AAAA`, `${sealed}.`, `x${sealed}`, ...mixed]) {
      expect(() => keyring.open(damaged, ROW)).toThrow(SealError)
    }
  })

  test('throws a SealError that holds no part of it', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((end) => `v1.${partsOf(sealed).id}.${end}`),
        ),
        (garbage) => {
          expect(() => keyring.open(garbage, ROW)).toThrow(SealError)
        },
      ),
      { numRuns: 500, seed: 2 },
    )
    expect(() => keyring.open(sealed.slice(0, -3), ROW)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret of some') }),
    )
  })
})

describe('the ring', () => {
  const before = createKeyring([OLD])
  const rotated = createKeyring([NEW, OLD])
  const afterwards = createKeyring([NEW])

  // holds KEY-07
  test('opens what any of its keys sealed, and seals with the first', () => {
    const old = before.seal(new Secret('old'), ROW)
    const fresh = rotated.seal(new Secret('fresh'), ROW)
    expect(rotated.open(old, ROW).reveal()).toBe('old')
    expect(rotated.open(fresh, ROW).reveal()).toBe('fresh')
    expect(afterwards.open(fresh, ROW).reveal()).toBe('fresh')
  })

  // holds KEY-05
  test('names the variable that lacks the key of a value', () => {
    const old = before.seal(new Secret('old'), ROW)
    expect(() => afterwards.open(old, ROW)).toThrow(/master key that is not in SVC_MASTER_KEY/)
    expect(() => createKeyring([OTHER]).open(old, ROW)).toThrow(SealError)
  })

  // holds KEY-07
  test('finds keys that were hashed before a rotation', () => {
    const key = 'svc_sk_something'
    expect(rotated.hashes(key)).toEqual([afterwards.hash(key), before.hash(key)])
    expect(rotated.hash(key)).toBe(afterwards.hash(key))
    expect(before.hashes(key)).toEqual([before.hash(key)])
  })

  // holds KEY-04
  test('hashes depend on the master key, and equal no plain hash', () => {
    const hashes = [OLD, NEW, OTHER].map((master) => createKeyring([master]).hash('svc_sk_something'))
    expect(new Set(hashes).size).toBe(3)
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(createKeyring([Buffer.from(OLD)]).hash('svc_sk_something')).toBe(hashes[0])
  })

  test('puts no part of a master key into a sealed value', () => {
    const master = randomBytes(32)
    const sealed = createKeyring([master]).seal(new Secret('x'), ROW)
    expect(sealed).not.toContain(master.toString('hex').slice(0, 8))
    expect(sealed).not.toContain(master.toString('base64url').slice(0, 8))
  })
})
