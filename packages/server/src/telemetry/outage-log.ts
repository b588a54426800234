import type { Logger } from 'pino'

/** Where a database error occurred, as the log counts them. */
export type OutagePlace =
  | 'requests'
  | 'connections'
  | 'renewals'
  | 'sweeps'
  | 'usage'
  | 'retention'
  | 'approvals'
  | 'questions'
  | 'webhooks'

const INTERVAL_MS = 1_000

interface OutageLogDeps {
  logger: Pick<Logger, 'error'>
  pause: (ms: number) => Promise<unknown>
}

export type OutageLog = ReturnType<typeof createOutageLog>

/** Logs that the database is busy or away: the first error immediately, then one line a second that counts the others. */
export function createOutageLog({ logger, pause }: OutageLogDeps) {
  let counts: Partial<Record<OutagePlace, number>> = {}
  let latest: unknown
  let isReporting = false
  const report = async () => {
    isReporting = true
    while (Object.keys(counts).length > 0) {
      logger.error({ err: latest, ...counts }, 'the database was busy or away')
      counts = {}
      await pause(INTERVAL_MS)
    }
    isReporting = false
  }
  return {
    note(place: OutagePlace, error: unknown): void {
      counts[place] = (counts[place] ?? 0) + 1
      latest = error
      if (!isReporting) void report()
    },
  }
}
