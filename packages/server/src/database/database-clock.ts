import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type Clock, monotonicClock, systemClock } from '../lib/clock.ts'
import type { Database } from './open.ts'

/** The database's time, which all replicas share, whatever their machines' clocks say. */
export interface DatabaseClock extends Clock {
  /** Asks the database for its time. Rejects where it is away: the time goes on from the last reading. */
  synchronize(): Promise<void>
  /** By how much this machine's clock is ahead of the database's, as of now. */
  readonly offsetMs: number
}

/** An offset of which the log is told. */
const WARNED_MS = 2_000
// The middle of a question that took longer says too little.
const LONGEST_READING_MS = 1_000

const NOW_MS = sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`

interface ClockDeps {
  database: Pick<Database, 'db' | 'engine'>
  logger: Pick<Logger, 'warn'>
}

/**
 * Between readings the time goes by a clock that nobody sets. The embedded store has no clock of its own: there it is the
 * machine's.
 */
export function createDatabaseClock({ database, logger }: ClockDeps): DatabaseClock {
  if (database.engine === 'sqlite') return { now: systemClock.now, synchronize: async () => {}, offsetMs: 0 }
  let base = systemClock.now() - monotonicClock.now()
  let isWarned = false
  const clock: DatabaseClock = {
    now: () => monotonicClock.now() + base,
    async synchronize() {
      const asked = monotonicClock.now()
      const read = await sql<{ ms: number }>`select ${NOW_MS} as ms`.execute(database.db)
      const heard = monotonicClock.now()
      if (heard - asked > LONGEST_READING_MS) return
      const next = Number(read.rows[0]?.ms) - (asked + heard) / 2
      // A difference within the question's own time is none.
      if (Math.abs(next - base) > heard - asked) base = Math.round(next)
      const isFar = Math.abs(clock.offsetMs) > WARNED_MS
      if (isFar && !isWarned)
        logger.warn({ offsetMs: clock.offsetMs }, 'this machine’s clock and the database’s differ')
      isWarned = isFar
    },
    get offsetMs() {
      return Math.round(systemClock.now() - clock.now())
    },
  }
  return clock
}
