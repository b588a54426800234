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
  const scopes = new UnderWay<Scope>()
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
      const scope = new Scope(span, bytes, maxMs, () => {
        scopes.delete(scope)
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

class Scope implements ExecutionScope {
  readonly signal = new Stop()
  readonly dispatchSignal = new Stop()
  readonly span: Span
  readonly held: HeldBytes
  stopReason: StopReason | null = null
  readonly #timer: NodeJS.Timeout
  readonly #ended: () => void

  constructor(span: Span, held: HeldBytes, maxMs: number, ended: () => void) {
    this.span = span
    this.held = held
    this.#timer = setTimeout(() => this.stop('deadline'), maxMs)
    this.#ended = ended
  }

  stop(reason: StopReason): void {
    this.stopReason ??= reason
    this.signal.abort()
    if (reason !== 'cancelled') this.dispatchSignal.abort()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#ended()
    this.held.release()
  }
}
