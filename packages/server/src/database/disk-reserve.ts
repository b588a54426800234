import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

const MiB = 1024 * 1024

/**
 * Room that is kept for what must be written on a full disk: the files that SQLite needs to open a database, and outcomes of
 * executions that still run, up to two rounds of its write-ahead log.
 */
const RESERVE_BYTES = 32 * MiB

// Less than this, and SQLite may soon find no room.
const SPENT_BYTES = 8 * MiB

const CHUNK_BYTES = MiB

const RESERVE_FILE = 'disk.reserve'

/** Bytes that this process may still write to a folder's disk. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/**
 * Opens what lies in a data folder, on a full disk with the room that the reserve held. Where that is spent, too, the error
 * says what to do.
 */
export async function openOnFullDisk<T>(folder: string, opening: () => Promise<T>): Promise<T> {
  if (isSpent(folder)) rmSync(join(folder, RESERVE_FILE), { force: true })
  try {
    return await opening()
  } catch (error) {
    if (!isSpent(folder)) throw error
    const room = `Free ${RESERVE_BYTES / MiB} MiB or more there, start again, and give space back with “npm run -s admin -- prune”.`
    throw new Error(`the disk of the data folder ${folder} is full. ${room}`, { cause: error })
  }
}

function isSpent(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < SPENT_BYTES
}

/** Gives the reserve up where there is hardly any other room, and makes it anew once there is plenty. */
export async function keepReserve(folder: string, { free, leastBytes }: { free: number; leastBytes: number }) {
  const file = join(folder, RESERVE_FILE)
  if (free < SPENT_BYTES) return rm(file, { force: true })
  if (free < leastBytes + 2 * RESERVE_BYTES || existsSync(file)) return
  const draft = `${file}.new`
  const handle = await open(draft, 'w', 0o600)
  try {
    // Random: some file systems give no room to what compresses well.
    const chunk = randomBytes(CHUNK_BYTES)
    for (let written = 0; written < RESERVE_BYTES; written += CHUNK_BYTES) await handle.write(chunk)
  } finally {
    await handle.close()
  }
  await rename(draft, file)
}
