import { closeSync, openSync, rmSync } from 'node:fs'
import type { Timers } from './deps.ts'
import { errorCode } from './thrown.ts'

const PAUSE_MS = 50
/** A holder reads one small file and writes it. One that takes longer than all pauses is gone, and left its lock behind. */
const TRIES = 100

/**
 * Does the work while this process alone holds the lock of a file, which is a file beside it. Rejects with what the system
 * says where the lock cannot be made.
 */
export async function whileLocked<T>(timers: Timers, file: string, work: () => T): Promise<T> {
  const lock = `${file}.lock`
  for (let tries = 0; !take(lock); tries += 1) {
    if (tries === TRIES) rmSync(lock, { force: true })
    else await new Promise<void>((resolve) => timers.after(PAUSE_MS, resolve))
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function take(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx', 0o600))
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}
