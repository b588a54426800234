import type { ExecutionSummary } from '@svc/contract'
import type { CliDeps, Timers } from '../deps.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { createEndedOnce, type EndedOnce } from './ended-once.ts'
import { PassingFailure, type ReadExecutions } from './read-executions.ts'

const INTERVAL_MS = 2_000
const MAX_BACKOFF_MS = 30_000
// A timer holds less than a header can ask for.
const MAX_RETRY_AFTER_MS = 3_600_000

type Following = {
  readonly read: ReadExecutions
  /** Reads the ones to begin with, newest first. */
  readonly readLatest: () => Promise<ExecutionSummary[]>
  readonly show: (executions: readonly ExecutionSummary[]) => void
  readonly signal: AbortSignal
}

/** Shows the latest executions that have ended, then each one that ends, until the signal or until nobody reads. */
export async function followExecutions(
  deps: Pick<CliDeps, 'timers' | 'stdout'>,
  terminal: Terminal,
  { read, readLatest, show, signal }: Following,
): Promise<void> {
  const { once, latest } = await begin(read, readLatest)
  const isOver = () => signal.aborted || deps.stdout.hasReader?.() === false
  if (isOver()) return
  show(latest.toReversed())
  terminal.note('Waiting for executions to end (Ctrl-C ends it).')
  const delay = createDelay(terminal)
  while (!isOver()) {
    await pause(deps.timers, delay.ms(), signal)
    if (isOver()) return
    const ended = await readEnded(read, once).catch(passing)
    if (isOver()) return
    delay.note(ended)
    if (!(ended instanceof PassingFailure)) show(ended)
  }
}

type Begun = { readonly once: EndedOnce; readonly latest: ExecutionSummary[] }

async function begin(read: ReadExecutions, readLatest: Following['readLatest']): Promise<Begun> {
  const [newest = null] = await read({}, 1)
  const once = createEndedOnce(newest)
  // In this order, so that what ends between two reads is shown by the later one.
  once.take([...(await read({ from: once.from() })), ...(await read({ status: 'running' }))])
  const latest = (await readLatest()).filter(({ status }) => status !== 'running')
  once.take(latest)
  return { once, latest }
}

/** The delay before the next read, from the outcome of the last one. Says when an outage begins and when it is over. */
function createDelay(terminal: Terminal) {
  let failures = 0
  let delayMs = INTERVAL_MS
  return {
    ms: () => delayMs,
    note(outcome: unknown): void {
      if (!(outcome instanceof PassingFailure)) {
        if (failures > 0) terminal.note('The control plane answers again.')
        failures = 0
        delayMs = INTERVAL_MS
        return
      }
      failures += 1
      if (failures === 1) terminal.warn(`${outcome.message} It is asked again until it answers.`)
      const backoffMs = Math.min(MAX_BACKOFF_MS, INTERVAL_MS * 2 ** failures)
      delayMs = Math.max(backoffMs, Math.min(MAX_RETRY_AFTER_MS, outcome.retryAfterMs))
    },
  }
}

function passing(error: unknown): PassingFailure {
  if (error instanceof PassingFailure) return error
  throw error
}

/** The executions that have ended since the last read. A read that fails in the middle leaves nothing behind. */
async function readEnded(read: ReadExecutions, once: EndedOnce): Promise<ExecutionSummary[]> {
  const from = once.from()
  const executions = await read({ from })
  const older = once.runningBefore(from)
  if (older.length === 0) return once.take(executions)
  const running = new Set((await read({ status: 'running', to: from })).map(({ executionId }) => executionId))
  const gone = older.filter(({ executionId }) => !running.has(executionId))
  for (const { executionId, startedAt } of gone) {
    const sameStart = await read({ from: startedAt, to: startedAt + 1 })
    executions.push(...sameStart.filter((execution) => execution.executionId === executionId))
  }
  return once.take(executions, gone)
}

function pause(timers: Timers, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = timers.after(delayMs, end)
    signal.addEventListener('abort', end)
  })
}
