import type { ExecutionSummary } from '@svc/contract'

// An execution has its start before it stands in a list: admission outlasts a database that is away for seconds.
const LATE_MS = 30_000

/** An execution that ran when a list was read. */
type Running = { readonly executionId: string; readonly startedAt: number }

/**
 * Takes each execution once, when it has ended, from lists that are ordered by start. Ended ones are remembered while
 * they stand in the window that is read again, those that run until they have ended.
 */
export type EndedOnce = {
  /** Where the window begins, in milliseconds since the epoch: what starts is read from here. */
  readonly from: () => number
  /** Those that ran when they were last seen and are older than the window. */
  readonly runningBefore: (from: number) => Running[]
  /** Remembers all of it. Returns those that have ended and were not taken before, in the order in which they ended. */
  readonly take: (executions: readonly ExecutionSummary[], gone?: readonly Running[]) => ExecutionSummary[]
}

/** `newest` is the latest start that is known, null where nothing has started yet. */
export function createEndedOnce(newest: ExecutionSummary | null): EndedOnce {
  const taken = new Map<string, number>()
  const running = new Map<string, number>()
  let latestStart = newest === null ? 0 : Date.parse(newest.startedAt)
  const from = () => Math.max(0, latestStart - LATE_MS)

  const isNews = ({ executionId, status, startedAt }: ExecutionSummary): boolean => {
    const start = Date.parse(startedAt)
    latestStart = Math.max(latestStart, start)
    if (taken.has(executionId)) return false
    if (status === 'running') running.set(executionId, start)
    else {
      running.delete(executionId)
      taken.set(executionId, start)
    }
    return status !== 'running'
  }
  return {
    from,
    runningBefore: (limit) =>
      [...running].flatMap(([executionId, startedAt]) => (startedAt < limit ? [{ executionId, startedAt }] : [])),
    take(executions, gone = []) {
      for (const { executionId } of gone) running.delete(executionId)
      const news = executions.filter(isNews)
      for (const [executionId, start] of taken) if (start < from()) taken.delete(executionId)
      return news.sort((one, other) => (one.completedAt ?? '').localeCompare(other.completedAt ?? ''))
    },
  }
}
