import { createContext, Script } from 'node:vm'

/** The part of its time that work must have had a processor for to count as too slow. */
const FAIR_SHARE = 0.7

/** Work that did not end in its time. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
  /** The part of its time for which it had a processor, or another thread of this process did: nobody tells these apart. */
  readonly share: number

  constructor(message: string, share: number) {
    super(message)
    this.share = share
  }

  /** Whether the work is what was slow, and not the machine. */
  get hadFairShare(): boolean {
    return this.share >= FAIR_SHARE
  }
}

const sandbox: { work(): void } = { work: () => {} }
const context = createContext(sandbox)
const call = new Script('work()')

/** How many times its time work may get in its second try, however little it had of the first. */
const MAX_STRETCH = 3

/**
 * Runs synchronous work and stops it after `maxMs`, wherever it is: what others wrote may take time without end, and
 * nothing else can interrupt it on this thread. Throws {@link TimeLimitError}. Work that was stopped before it
 * had a processor for most of that is begun anew, once, with the time in which it would have had it, so it must bear that.
 * Costs a fifth of a millisecond.
 */
export function withinTime<T>(maxMs: number, work: () => T): T {
  try {
    return stoppedAfter(maxMs, work)
  } catch (error) {
    if (!(error instanceof TimeLimitError) || error.hadFairShare) throw error
    return stoppedAfter(maxMs * Math.min(MAX_STRETCH, 1 / error.share), work)
  }
}

/** As {@link withinTime}, once: for a thread that others wait for, however little of the time it had a processor. */
export function stoppedAfter<T>(maxMs: number, work: () => T): T {
  const outcome: { value?: T } = {}
  const before = process.cpuUsage()
  const stopped = (how: string) => new TimeLimitError(how, processorMs(before) / maxMs)
  sandbox.work = () => {
    outcome.value = work()
  }
  try {
    call.runInContext(context, { timeout: Math.max(1, Math.ceil(maxMs)) })
  } catch (error) {
    throw isTimeout(error) ? stopped(`not done within ${maxMs} ms`) : error
  } finally {
    sandbox.work = () => {}
  }
  if (!('value' in outcome)) throw stopped('ended without a value')
  return outcome.value
}

function processorMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
