import { Stop, type StopSignal } from '../stop-signal.ts'
import { NO_SPAN } from '../tracing/no-tracer.ts'
import type { Span } from '../tracing/tracing.ts'

/** Why an execution is ended before its own end. */
export type StopReason = 'cancelled' | 'deadline' | 'shutdown' | 'lease-lost'

/** The life of one execution: who may stop it, and what stops with it. */
export interface ExecutionScope {
  /** Aborts as soon as the execution is to end: ends model calls, and starts no further capability call. */
  readonly signal: StopSignal
  /** Aborts capability calls under way. A caller who left does not: the call's outcome is still worth knowing. */
  readonly dispatchSignal: StopSignal
  readonly stopReason: StopReason | null
  /** What happens within it belongs to this span. */
  readonly span: Span
  stop(reason: StopReason): void
  /** Must be called when the execution has been settled. */
  end(): void
}

/** The executions under way in this process. */
export interface RunningExecutions {
  begin(maxMs: number, span?: Span): ExecutionScope
  readonly size: number
  /** Resolves when none is left, or after `maxMs`. */
  idle(maxMs: number): Promise<void>
  stopAll(reason: StopReason): void
}

export function createRunningExecutions(): RunningExecutions {
  const scopes = new Set<ExecutionScope>()
  let wake = () => {}
  const ended = (scope: ExecutionScope) => {
    scopes.delete(scope)
    if (scopes.size === 0) wake()
  }
  return {
    begin(maxMs, span = NO_SPAN) {
      const scope = createScope({ maxMs, span }, ended)
      scopes.add(scope)
      return scope
    },
    get size() {
      return scopes.size
    },
    async idle(maxMs) {
      if (scopes.size === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, maxMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    stopAll(reason) {
      for (const scope of scopes) scope.stop(reason)
    },
  }
}

function createScope(
  { maxMs, span }: { maxMs: number; span: Span },
  ended: (scope: ExecutionScope) => void,
): ExecutionScope {
  const loop = new Stop()
  const dispatch = new Stop()
  let stopReason: StopReason | null = null
  const scope: ExecutionScope = {
    signal: loop,
    dispatchSignal: dispatch,
    span,
    get stopReason() {
      return stopReason
    },
    stop(reason) {
      stopReason ??= reason
      loop.abort()
      if (reason !== 'cancelled') dispatch.abort()
    },
    end() {
      clearTimeout(timer)
      ended(scope)
    },
  }
  const timer = setTimeout(() => scope.stop('deadline'), maxMs)
  return scope
}
