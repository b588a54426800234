import { HeldBytes, type InFlight } from '../admission/in-flight.ts'
import { noRoom } from '../errors.ts'
import { Stop, type StopSignal } from '../lib/stop-signal.ts'
import { UnderWay } from '../lib/under-way.ts'
import { NO_SPAN } from '../telemetry/no-tracer.ts'
import type { Span } from '../telemetry/tracing.ts'

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
  /** The memory that it holds, counted for its account. */
  readonly held: HeldBytes
  stop(reason: StopReason): void
  /** Must be called when the execution has been settled. */
  end(): void
}

/** The executions under way in this process. */
export interface RunningExecutions {
  /** Throws the refusal where the account has its share under way. `held` is what the request holds already. */
  begin(accountId: string, maxMs: number, from?: { span?: Span; held?: HeldBytes | null }): ExecutionScope
  readonly size: number
  /** Resolves when none is left, or with this signal. */
  idle(signal: StopSignal): Promise<void>
  stopAll(reason: StopReason): void
  /** Stops all, and from now on each as soon as it begins. */
  shutDown(): void
}

export function createRunningExecutions(inFlight: InFlight): RunningExecutions {
  const scopes = new UnderWay<ExecutionScope>()
  let isShutDown = false
  const stopAll = (reason: StopReason) => {
    for (const scope of scopes) scope.stop(reason)
  }
  return {
    begin(accountId, maxMs, { span = NO_SPAN, held = null } = {}) {
      const shortage = inFlight.executionShortage(accountId)
      if (shortage) throw noRoom(shortage)
      inFlight.add(accountId, { executions: 1 })
      const bytes = held?.retain() ?? new HeldBytes(inFlight, accountId)
      const scope = createScope({ maxMs, span, held: bytes }, (ended) => {
        scopes.delete(ended)
        bytes.release()
        inFlight.add(accountId, { executions: -1 })
      })
      scopes.add(scope)
      if (isShutDown) scope.stop('shutdown')
      return scope
    },
    get size() {
      return scopes.size
    },
    idle: (signal) => scopes.idle(signal),
    stopAll,
    shutDown() {
      isShutDown = true
      stopAll('shutdown')
    },
  }
}

function createScope(
  { maxMs, span, held }: { maxMs: number; span: Span; held: HeldBytes },
  ended: (scope: ExecutionScope) => void,
): ExecutionScope {
  const loop = new Stop()
  const dispatch = new Stop()
  let stopReason: StopReason | null = null
  const scope: ExecutionScope = {
    signal: loop,
    dispatchSignal: dispatch,
    span,
    held,
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
