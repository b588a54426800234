import { HeldBytes, type InFlight } from '../admission/in-flight.ts'
import { noRoom } from '../errors.ts'
import { Stop } from '../lib/stop-signal.ts'
import { UnderWay } from '../lib/under-way.ts'
import { NO_SPAN } from '../telemetry/no-tracer.ts'
import type { Span } from '../telemetry/tracing.ts'

/** Why an execution is ended before its own end. */
export type StopReason = 'cancelled' | 'deadline' | 'shutdown' | 'lease-lost'

/** The executions under way in this process. */
export class RunningExecutions extends UnderWay<ExecutionScope> {
  readonly #inFlight: InFlight
  #isShutDown = false

  constructor(inFlight: InFlight) {
    super()
    this.#inFlight = inFlight
  }

  /** Throws the refusal where the account has its share under way. `held` is what the request holds already. */
  begin(
    accountId: string,
    maxMs: number,
    { span = NO_SPAN, held = null }: { span?: Span; held?: HeldBytes | null } = {},
  ): ExecutionScope {
    const shortage = this.#inFlight.executionShortage(accountId)
    if (shortage) throw noRoom(shortage)
    this.#inFlight.add(accountId, { executions: 1 })
    const bytes = held?.retain() ?? new HeldBytes(this.#inFlight, accountId)
    const scope = new ExecutionScope(span, bytes, maxMs, () => {
      this.delete(scope)
      this.#inFlight.add(accountId, { executions: -1 })
    })
    this.add(scope)
    if (this.#isShutDown) scope.stop('shutdown')
    return scope
  }

  stopAll(reason: StopReason): void {
    for (const scope of this) scope.stop(reason)
  }

  /** Stops all, and from now on each as soon as it begins. */
  shutDown(): void {
    this.#isShutDown = true
    this.stopAll('shutdown')
  }
}

/** The life of one execution. */
export class ExecutionScope {
  /** Aborts as soon as the execution is to end: ends model calls, and starts no further capability call. */
  readonly signal = new Stop()
  /** Aborts capability calls under way. A caller who left does not: the call's outcome is still worth knowing. */
  readonly dispatchSignal = new Stop()
  /** What happens within it belongs to this span. */
  readonly span: Span
  /** The memory that it holds, counted for its account. */
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

  /** Must be called when the execution has been settled. */
  end(): void {
    clearTimeout(this.#timer)
    this.#ended()
    this.held.release()
  }
}
