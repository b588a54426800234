import { sql } from 'kysely'
import type { Logger } from 'pino'
import { type Clock, monotonicClock, systemClock } from '../lib/clock.ts'
import type { Database } from './database.ts'

/** The database's time, which all replicas share. */
export interface DatabaseClock extends Clock {
  /** Reads the database's time. Rejects while the database is away: the clock then goes on from the last reading. */
  synchronize(): Promise<void>
  /** By how much this machine's clock is ahead of the database's. */
  readonly offsetMs: number
}

const WARNED_OFFSET_MS = 2_000
// The reading is taken for the midpoint of the query: that of a slower one is too imprecise.
const MAX_QUERY_MS = 1_000

const NOW_MS = sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`

interface ClockDeps {
  database: Pick<Database, 'db' | 'engine'>
  logger: Pick<Logger, 'warn'>
}

/** Between readings of the database's time it follows the monotonic clock. On SQLite it is the machine's clock. */
export function createDatabaseClock({ database, logger }: ClockDeps): DatabaseClock {
  if (database.engine === 'sqlite') return { now: systemClock.now, synchronize: async () => {}, offsetMs: 0 }
  let base = systemClock.now() - monotonicClock.now()
  let isWarned = false
  const clock: DatabaseClock = {
    now: () => monotonicClock.now() + base,
    async synchronize() {
      const sentAt = monotonicClock.now()
      const { rows } = await sql<{ ms: number }>`select ${NOW_MS} as ms`.execute(database.db)
      const answeredAt = monotonicClock.now()
      if (answeredAt - sentAt > MAX_QUERY_MS) return
      const next = Number(rows[0]?.ms) - (sentAt + answeredAt) / 2
      // A difference below the duration of the query may be no difference.
      if (Math.abs(next - base) > answeredAt - sentAt) base = Math.round(next)
      const isFar = Math.abs(clock.offsetMs) > WARNED_OFFSET_MS
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
