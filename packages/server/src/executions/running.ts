import { HeldBytes, type InFlight } from '../admission/in-flight.ts'
import { noRoom } from '../errors.ts'
import { ActiveSet } from '../lib/active-set.ts'
import { Stop } from '../lib/stop-signal.ts'
import { NO_SPAN, type Span } from '../telemetry/tracing.ts'

export type StopReason = 'cancelled' | 'deleted' | 'deadline' | 'shutdown' | 'lease-lost'

interface ExecutionOwner {
  ownerId: string
  runtimeId: string
}

export class RunningExecutions extends ActiveSet<ExecutionScope> {
  readonly #inFlight: InFlight
  #isShutDown = false

  constructor(inFlight: InFlight) {
    super()
    this.#inFlight = inFlight
  }

  /** Throws 429 where the account is past its share. `held` are bytes that the request holds already. */
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

  stopWhere(isOf: (owner: ExecutionOwner) => boolean, reason: StopReason): void {
    for (const scope of this) if (scope.owner && isOf(scope.owner)) scope.stop(reason)
  }

  stopAll(reason: StopReason): void {
    for (const scope of this) scope.stop(reason)
  }

  /** Stops all executions, and from now on each as it begins. */
  shutDown(): void {
    this.#isShutDown = true
    this.stopAll('shutdown')
  }
}

export class ExecutionScope {
  /** Stops model calls, and prevents further capability calls. */
  readonly signal = new Stop()
  /** Cancels capability calls in progress; not where the caller left, because the outcome of a call is worth knowing. */
  readonly dispatchSignal = new Stop()
  readonly span: Span
  readonly held: HeldBytes
  stopReason: StopReason | null = null
  /** The account and runtime, once it was admitted. */
  owner: ExecutionOwner | null = null
  readonly #timer: NodeJS.Timeout
  readonly #onEnd: () => void

  constructor(span: Span, held: HeldBytes, maxMs: number, onEnd: () => void) {
    this.span = span
    this.held = held
    this.#timer = setTimeout(() => this.stop('deadline'), maxMs)
    this.#onEnd = onEnd
  }

  stop(reason: StopReason): void {
    this.stopReason ??= reason
    this.signal.abort()
    if (reason !== 'cancelled') this.dispatchSignal.abort()
  }

  /** Must be called once the execution is settled. */
  end(): void {
    clearTimeout(this.#timer)
    this.#onEnd()
    this.held.release()
  }
}
