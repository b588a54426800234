import { constants } from 'node:os'
import { descendantsOf } from './process-usage.ts'

/** Somebody ended the run. What it started has been ended, and what it made removed, by the time this is caught. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
  /** As a shell tells of a program that died of the signal. */
  readonly exitCode: number

  constructor(signal: NodeJS.Signals) {
    super(`the run was ended by ${signal}`)
    this.exitCode = 128 + constants.signals[signal]
  }
}

/** The wish of somebody outside that the run ends before its end. */
export interface Interruption {
  /** Resolves with it; never, where nobody wishes so. */
  wish: Promise<InterruptedError>
  /** Null until then. */
  current(): InterruptedError | null
}

/** What of this process hears signals, and sends them. */
export interface SignalSource {
  pid: number
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  kill(pid: number, signal: NodeJS.Signals): unknown
}

/** Takes SIGINT, SIGTERM and SIGHUP as wishes to end the run; all programs that it has started are ended at once. */
export function heedSignals(source: SignalSource): Interruption {
  let current: InterruptedError | null = null
  const wish = new Promise<InterruptedError>((resolve) => {
    const heed = (signal: NodeJS.Signals) => {
      current ??= new InterruptedError(signal)
      killDescendants(source)
      resolve(current)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) source.on(signal, heed)
  })
  return { wish, current: () => current }
}

/** Ends every process that this one has started, and theirs, without a word. */
export function killDescendants(source: SignalSource): void {
  for (const descendant of descendantsOf(source.pid)) {
    try {
      source.kill(descendant, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
