import type { Logger } from 'pino'
import { diskFull } from '../errors.ts'
import type { Clock } from '../lib/clock.ts'
import { isDiskFull } from './errors.ts'

/** The interval between two measurements of free space. */
export const SAMPLE_MS = 1_000

// After an error writes are refused this long; then one is let through to try.
const FULL_MS = 5_000

interface DiskSpaceOptions {
  clock: Clock
  logger: Logger
  /** Writes are refused while less than this is free. */
  leastBytes: number
  /** Null: the disk is the database server's, and only its errors tell. */
  freeBytes: (() => Promise<number>) | null
}

export type DiskSpace = ReturnType<typeof createDiskSpace>

/** Refuses new data while the disk is nearly full. Reads, settlements and sign-ins never ask. */
export function createDiskSpace({ clock, logger, leastBytes, freeBytes }: DiskSpaceOptions) {
  let isLow = false
  let isSampling = false
  let fullAt: number | null = null
  return {
    /** Throws 429 while too little space is free. After an error one caller in five seconds passes, to try again. */
    require() {
      if (isLow) throw diskFull()
      if (fullAt === null) return
      const now = clock.now()
      if (now >= fullAt && now - fullAt < FULL_MS) throw diskFull()
      fullAt = now
    },
    /** Call it with every error that ended a request. */
    noteFault(error: unknown) {
      if (!isDiskFull(error)) return
      if (fullAt === null) logger.error({ err: error }, 'the disk of the database is full: new data is refused')
      fullAt = clock.now()
    },
    /** Call it after a successful write. */
    noteWrite() {
      fullAt = null
    },
    /** Measures the free space. One at a time: `freeBytes` also writes the reserve, which may take longer than the interval. */
    async sample() {
      if (isSampling) return
      isSampling = true
      try {
        const free = (await freeBytes?.()) ?? Number.POSITIVE_INFINITY
        const wasLow = isLow
        isLow = free < leastBytes
        if (isLow && !wasLow) logger.error({ free, leastBytes }, 'the disk is nearly full: new data is refused')
        if (wasLow && !isLow) logger.info({ free }, 'the disk has room again')
      } finally {
        isSampling = false
      }
    },
  }
}
