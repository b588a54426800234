import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Room that is kept for what must be written on a full disk: the files that SQLite needs to open a database, and outcomes of
 * executions that still run, up to two rounds of its write-ahead log.
 */
export const RESERVE_BYTES = 32 * 1024 * 1024

// Less than this, and SQLite may soon find no room.
const SPENT_BYTES = 8 * 1024 * 1024

const CHUNK_BYTES = 1024 * 1024

/** The file that holds the room. */
export const RESERVE_FILE = 'disk.reserve'

/** Bytes that this process may still write to a folder's disk. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Gives the reserve to SQLite where there is hardly any other room; done before a store is opened. */
export function releaseIfFull(folder: string): void {
  if (!existsSync(folder)) return
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < SPENT_BYTES) rmSync(join(folder, RESERVE_FILE), { force: true })
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
