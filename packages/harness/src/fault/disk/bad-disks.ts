import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ScenarioContext } from '../../support/scenario.ts'
import { createSqliteStore, type Store } from '../../support/store.ts'
import { PROGRAM_MS, within } from '../../support/within.ts'

/** A disk that can be made to fail under a server that runs, and be mended again. */
export interface BadDisk {
  store: Store
  begin(serverPid: number): Promise<void>
  end(): Promise<void>
}

const SIZE = '3m'
// The service's own low-water mark would refuse all on so small a disk: this one is to fill up.
export const FILLS_UP = { SVC_LIMIT_FREE_DISK_BYTES: '1' } as const
const LARGER_SIZE = '256m'
const SMALL_SIZE = '128m'

/** The folder of a new file system in memory, unmounted with the run; or why there is none. */
function mountMemory(context: ScenarioContext, size: string): string | { cannot: string } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-disk-'))
  try {
    mount(['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    return { cannot: `a tmpfs cannot be mounted, which takes root (${String(error).split('\n')[0]})` }
  }
  context.onEnd(() => {
    execFileSync('umount', [folder], { stdio: 'pipe' })
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** A file system of 3 MB, which fills up by itself; or why it cannot be mounted: that takes root on Linux. */
export function createFullDisk(context: ScenarioContext): BadDisk | { cannot: string } {
  const folder = mountMemory(context, SIZE)
  if (typeof folder !== 'string') return folder
  const store = createSqliteStore(folder)
  return {
    // The folder is a mount point: it goes when it has been unmounted.
    store: { ...store, remove: async () => undefined },
    begin: async () => fill(folder),
    end: async () => mount(['-o', `remount,size=${LARGER_SIZE}`, folder]),
  }
}

// All but some pages, so that the rest is spent in the middle of the load.
function fill(folder: string): void {
  const { bavail, bsize } = statfsSync(folder)
  const spare = 200 * 1024
  if (bavail * bsize > spare) writeFileSync(join(folder, 'ballast'), Buffer.alloc(bavail * bsize - spare))
}

/** A file system of 128 MB on which a server finds room for its reserve; or why it cannot be mounted. */
export function createSmallDisk(context: ScenarioContext): { store: Store; fill(): void } | { cannot: string } {
  const folder = mountMemory(context, SMALL_SIZE)
  if (typeof folder !== 'string') return folder
  const store = createSqliteStore(folder)
  return {
    store: { ...store, remove: async () => undefined },
    fill() {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(join(folder, 'ballast'), Buffer.alloc(bavail * bsize))
    },
  }
}

function mount(args: readonly string[]): void {
  execFileSync('mount', [...args], { stdio: 'pipe' })
}

/** A disk whose `fsync` fails with an input/output error, by strace. Throws where it is not installed. */
export function createFailingDisk(): BadDisk {
  requireStrace()
  const store = createSqliteStore()
  let strace: ChildProcess | undefined
  return {
    store,
    async begin(serverPid) {
      const faults = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO']
      strace = spawn('strace', ['-f', '-qq', ...faults, '-o', '/dev/null', '-p', String(serverPid)], { stdio: 'pipe' })
      await pause(1_000)
      if (strace.exitCode !== null) throw new Error(`strace could not attach: ${strace.stderr?.read()}`)
    },
    async end() {
      const ended = new Promise((resolve) => strace?.once('exit', resolve))
      // It lets go of the process it watches, which goes on.
      strace?.kill('SIGINT')
      await within(ended, PROGRAM_MS, 'strace to let go of the server')
    },
  }
}

function requireStrace(): void {
  try {
    execFileSync('strace', ['-V'], { stdio: 'pipe' })
  } catch {
    throw new Error('strace is not installed: apt-get install strace')
  }
}
