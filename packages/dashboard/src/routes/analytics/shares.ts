import type { Schemas } from '../../api/client.ts'

type Counts = Pick<Schemas['AnalyticsSummary']['totals'], 'completed' | 'failed' | 'capabilityCalls' | 'failedCalls'>

/** The parts of executions and of calls that failed, as `1.4 %`; a dash where nothing ended. */
export function sharesOf({
  completed,
  failed,
  capabilityCalls,
  failedCalls,
}: Counts): Record<'failed' | 'failedCalls', string> {
  return { failed: share(failed, completed + failed), failedCalls: share(failedCalls, capabilityCalls) }
}

export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((part / whole) * 100).toFixed(1)} %`
}
