import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import { needs } from '@svc/testkit/needs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { descendantsOf } from '../src/support/process-usage.ts'

vi.setConfig({ testTimeout: 240_000 })

/** Runs a scenario whose temporary files go into a folder of the test's own. */
function startHarness(program: 'fault' | 'fuzz', args: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-interruption-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // A database cluster is another user's.
  chmodSync(folder, 0o755)
  const file = fileURLToPath(new URL(`../dist/${program}/main.js`, import.meta.url))
  const started = startProgram(process.execPath, [file, ...args, '--seed', '7'], {
    env: { ...process.env, TMPDIR: folder },
  })
  onTestFinished(() => void started.child.kill('SIGKILL'))
  const pid = started.child.pid ?? 0
  return {
    ...started,
    folder,
    servers: () => descendantsOf(pid).filter((one) => commandOf(one).includes('server/dist/main.js')),
  }
}

function commandOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Processes, of whomever, that were started with this folder among their arguments. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandOf(name).includes(folder))
}

async function until(isSo: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(isSo()).toBe(true), { timeout: 120_000, interval: 50 })
}

test('a run that is ended by SIGINT ends its servers, removes its folders and exits as one who died of it', async () => {
  const { child, ended, folder, servers } = startHarness('fuzz', [
    '--only',
    'slow-clients',
    '--engine',
    'sqlite',
    '--scale',
    '0.01',
  ])
  await until(() => servers().length > 0 && readdirSync(folder).length > 0)
  const running = servers()
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 130 })
  expect(running.filter((pid) => commandOf(pid) !== '')).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

needs('postgres-programs')('a run that is ended by SIGTERM', () => {
  test('ends its database cluster, too', async () => {
    const { child, ended, folder, servers } = startHarness('fault', ['--only', 'postgres-restarts', '--scale', '0.01'])
    await until(() => servers().length > 0)
    const running = servers()
    expect(processesIn(folder)).not.toEqual([])
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 143 })
    expect([running.filter((pid) => commandOf(pid) !== ''), processesIn(folder)]).toEqual([[], []])
    expect(readdirSync(folder)).toEqual([])
  })
})
