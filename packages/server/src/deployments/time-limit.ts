import { createContext, Script } from 'node:vm'

/** Work that did not end in its time. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

const sandbox: { work(): void } = { work: () => {} }
const context = createContext(sandbox)
const call = new Script('work()')

// Where the machine stood still, work is given twice the time, and twice that again.
const MAX_STRETCH = 4
/** The part of its time that work must have had a processor for to count as too slow. */
const FAIR_SHARE = 0.7

/**
 * Runs synchronous work and stops it after `maxMs`, wherever it is: what others wrote may take time without end, and
 * nothing else can interrupt it on this thread. Throws {@link TimeLimitError}. Work that was stopped before it
 * had a processor for most of that is begun anew with more time, so it must bear that. Costs a fifth of a millisecond.
 */
export function withinTime<T>(maxMs: number, work: () => T): T {
  for (let stretch = 1; ; stretch *= 2) {
    const before = process.cpuUsage()
    try {
      return runOnce(maxMs * stretch, work)
    } catch (error) {
      const isOver = stretch >= MAX_STRETCH || processorMs(before) >= maxMs * FAIR_SHARE
      if (!(error instanceof TimeLimitError) || isOver) throw error
    }
  }
}

function runOnce<T>(maxMs: number, work: () => T): T {
  const outcome: { value?: T } = {}
  sandbox.work = () => {
    outcome.value = work()
  }
  try {
    call.runInContext(context, { timeout: Math.max(1, Math.ceil(maxMs)) })
  } catch (error) {
    throw isTimeout(error) ? new TimeLimitError(`not done within ${maxMs} ms`) : error
  } finally {
    sandbox.work = () => {}
  }
  if (!('value' in outcome)) throw new TimeLimitError('ended without a value')
  return outcome.value
}

function processorMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
