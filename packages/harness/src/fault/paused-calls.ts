/** A call as its endpoint saw it. Times are epoch milliseconds. */
export interface SeenCall {
  at: number
  /** When it was answered or reset. */
  endedAt: number
  wasReset: boolean
}

/** A time in which a server has reason to pause its calls to an endpoint. */
export interface Pause {
  from: number
  to: number
}

/** The server's rule, said once more to judge it by: half of ten or more calls failed within 30 s. */
const WINDOW_MS = 30_000
/** The server counts by the second, and may have forgotten what was this long ago. */
const SURE_WINDOW_MS = 29_000
const CALLS_TO_JUDGE = 10
const FIRST_PAUSE_MS = 15_000
const LONGEST_PAUSE_MS = 5 * 60_000
/** How much later than the endpoint a server may see the end of a call. */
const LAG_MS = 500

/** When a server has to pause its calls to one endpoint, by the calls that reached it. Resets are its only faults. */
export function pausesFor(calls: readonly SeenCall[]): Pause[] {
  const arrived = calls.toSorted((a, b) => a.at - b.at)
  const pauses: Pause[] = []
  let counted = arrived
  for (const { endedAt } of calls.toSorted((a, b) => a.endedAt - b.endedAt)) {
    const isOver = endedAt > (pauses.at(-1)?.to ?? 0)
    if (!isOver || !givesReason(counted, endedAt) || goesOn(arrived, endedAt)) continue
    const found = pausesFrom(endedAt, arrived)
    pauses.push(...found)
    // A circuit that is closed again has forgotten what opened it.
    const closedAt = found.at(-1)?.to ?? endedAt
    counted = arrived.filter(({ at }) => at >= closedAt - LAG_MS)
  }
  return pauses
}

/** Whether the rule is met at this time by an order of ends that the server may have seen. */
function givesReason(calls: readonly SeenCall[], now: number): boolean {
  const between = (wasReset: boolean, from: number, to: number) =>
    calls.filter((call) => call.wasReset === wasReset && call.endedAt > from && call.endedAt <= to).length
  const resets = between(true, now - WINDOW_MS - LAG_MS, now + LAG_MS)
  const leastWorked = between(false, now - SURE_WINDOW_MS, now - LAG_MS)
  const mostWorked = between(false, now - WINDOW_MS - LAG_MS, now + LAG_MS)
  return Math.max(leastWorked, CALLS_TO_JUDGE - resets) <= Math.min(mostWorked, resets)
}

/** Whether calls went on to arrive, so that the server cannot have paused them. */
function goesOn(calls: readonly SeenCall[], from: number): boolean {
  return calls.some(({ at }) => at > from + LAG_MS && at < from + FIRST_PAUSE_MS)
}

/** The first pause, and after it one for each call that tries the endpoint and is reset; the last ends with one that worked. */
function pausesFrom(from: number, arrived: readonly SeenCall[]): Pause[] {
  const pauses: Pause[] = []
  let [until, pauseMs] = [from + FIRST_PAUSE_MS, FIRST_PAUSE_MS]
  pauses.push({ from, to: until + LAG_MS })
  for (;;) {
    const probe = arrived.find(({ at }) => at >= until)
    if (!probe) return pauses
    // Beside the one that tries it, others are turned away.
    pauseMs = probe.wasReset ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : 0
    until = probe.endedAt + pauseMs
    pauses.push({ from: probe.at - LAG_MS, to: until + LAG_MS })
    if (!probe.wasReset) return pauses
  }
}
