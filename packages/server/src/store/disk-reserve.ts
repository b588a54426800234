import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync } from 'node:fs'
import { rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const MiB = 1024 * 1024

/** Given free on a full disk: room for SQLite to open a database, and for the outcomes of executions that still run. */
const RESERVE_BYTES = 32 * MiB
/** With less free space than this, SQLite may fail soon. */
const CRITICAL_BYTES = 8 * MiB
const RESERVE_FILE = 'disk.reserve'

/** Bytes that this process may still write to a folder's disk. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Opens the files of a data folder; on a full disk the reserve is deleted first. Throws with advice where that is too little. */
export async function openWithDiskReserve<T>(folder: string, open: () => Promise<T>): Promise<T> {
  if (isFull(folder)) rmSync(join(folder, RESERVE_FILE), { force: true })
  try {
    return await open()
  } catch (error) {
    if (!isFull(folder)) throw error
    const advice = `Free ${RESERVE_BYTES / MiB} MiB or more there, start again, and give space back with “npm run -s admin -- prune”.`
    throw new Error(`the disk of the data folder ${folder} is full. ${advice}`, { cause: error })
  }
}

function isFull(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < CRITICAL_BYTES
}

/** Deletes the reserve on a full disk, and writes it again once there is room for it. */
export async function keepReserve(folder: string, { free, leastBytes }: { free: number; leastBytes: number }) {
  const file = join(folder, RESERVE_FILE)
  if (free < CRITICAL_BYTES) return rm(file, { force: true })
  if (free < leastBytes + 2 * RESERVE_BYTES || existsSync(file)) return
  // Random, because some file systems compress.
  const chunks = function* () {
    for (let written = 0; written < RESERVE_BYTES; written += MiB) yield randomBytes(MiB)
  }
  await writeFile(`${file}.new`, chunks(), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
