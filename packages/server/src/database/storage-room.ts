import type { Logger } from 'pino'
import { diskFull } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import { isDiskFull } from './errors.ts'

/** How often it is looked how much room there is. */
export const SAMPLE_MS = 1_000

// A refused write is cheap, and a disk is not given room within a second.
const FULL_MS = 5_000

interface RoomOptions {
  clock: Clock
  logger: Logger
  /** Below this many bytes there is too little. */
  leastBytes: number
  /** Null: the disk is the database server's, and only its errors tell. */
  freeBytes: (() => Promise<number>) | null
}

export type StorageRoom = ReturnType<typeof createStorageRoom>

/** Whether the store may grow. What reads, settles or signs in never asks. */
export function createStorageRoom({ clock, logger, leastBytes, freeBytes }: RoomOptions) {
  let isLow = false
  let fullAt: number | null = null
  return {
    /**
     * Throws 429 where nothing is taken that would make the store grow: the disk has less room than it should, or the
     * database has said that it is full. In that case one caller in five seconds is let through, to see whether it still is.
     */
    require() {
      if (isLow) throw diskFull()
      if (fullAt === null) return
      const now = clock.now()
      if (now >= fullAt && now - fullAt < FULL_MS) throw diskFull()
      fullAt = now
    },
    /** Hears of every fault of the database that ended a request. */
    noteFault(error: unknown) {
      if (!isDiskFull(error)) return
      if (fullAt === null) logger.error({ err: error }, 'the disk of the database is full: nothing new is taken')
      fullAt = clock.now()
    },
    /** Hears that something new was stored. */
    noteWrite() {
      fullAt = null
    },
    /** Looks how much room there is. */
    async sample() {
      const free = (await freeBytes?.()) ?? Number.POSITIVE_INFINITY
      const wasLow = isLow
      isLow = free < leastBytes
      if (isLow && !wasLow) logger.error({ free, leastBytes }, 'the disk is nearly full: nothing new is taken')
      if (wasLow && !isLow) logger.info({ free }, 'the disk has room again')
    },
  }
}
