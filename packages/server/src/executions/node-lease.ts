import type { Logger } from 'pino'
import { expireSome } from '../approvals/approved-call-store.ts'
import type { Clock } from '../lib/clock.ts'
import type { Limits } from '../limits.ts'
import type { Database } from '../store/database.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { dropLease, extendLease, type OtherLease, readOtherLeases, readSteadySince, takeLease } from './lease-store.ts'
import { NodeFailureDetector } from './node-failure-detector.ts'
import { differingSettings, type NodeSettings } from './node-settings-rules.ts'
import type { RunningExecutions } from './running.ts'
import { takeOverExecutions } from './take-over-store.ts'

export const LEASE_MS = 30_000
export const RENEWAL_MS = 10_000

// Added to the time limits of an execution and of its last call, for its settlement: no older row is still in progress.
const OVERDUE_MARGIN_MS = 60_000
// `approvals/sweep-approvals.ts` ends what is left, and tells the approved calls of dead nodes as unknown.
const EXPIRED_AT_ONCE = 1_000
// A longer gap in this node's renewals is a sign that the database was away, perhaps from all nodes.
const MISSED_MS = 1.5 * RENEWAL_MS
// Once the database is back, each living node renews within this time: it retries a failed renewal after a second, a hanging one
// after six.
const GRACE_MS = RENEWAL_MS

interface LeaseDeps {
  db: Database['db']
  engine: Database['engine']
  nodeId: string
  clock: Clock
  monotonicClock: Clock
  limits: Pick<Limits, 'executionMs' | 'dispatchMs'>
  running: RunningExecutions
  /** Stored with the lease, for other replicas to compare with theirs. */
  settings: NodeSettings
  /** Stored with the lease: where this node takes requests of other replicas. Null where it takes none. */
  nodeUrl: string | null
  logger: Logger
  metrics: Metrics
}

/** This process's claim on the executions that it runs: while it is held, no other node ends them. */
export class NodeLease {
  readonly #deps: LeaseDeps
  readonly #startedAt: number
  readonly #startOffset: number
  readonly #detector = new NodeFailureDetector({ leaseMs: LEASE_MS, renewalMs: RENEWAL_MS })
  readonly #reported = new Set<string>()
  // Monotonic: a clock that is set back must not make a lease longer.
  #heldUntil = Number.NEGATIVE_INFINITY
  #latestUntil = 0
  #renewedAt: number
  // Since when this node's renewals had no gap. A node that starts reads it from the others, as it has no past of its own.
  #steadySince: number
  /** Servers that renew their leases in time, this one included, as of the last sweep. */
  liveNodes = 1

  constructor(deps: LeaseDeps) {
    this.#deps = deps
    this.#startedAt = deps.clock.now()
    this.#startOffset = this.#startedAt - deps.monotonicClock.now()
    this.#renewedAt = this.#startedAt
    this.#steadySince = this.#startedAt
  }

  get nodeId(): string {
    return this.#deps.nodeId
  }

  /** False once the lease may have run out: nothing with an effect may start then. */
  isHeld(): boolean {
    return this.#deps.monotonicClock.now() < this.#heldUntil
  }

  /** Takes the lease, and fails what dead processes left: on SQLite every execution, as one server runs at a time. */
  async take(): Promise<void> {
    const { db, clock, engine } = this.#deps
    // Leases that end later were renewed within `MISSED_MS`.
    const stored = await readSteadySince(db, clock.now() - MISSED_MS + LEASE_MS)
    // The clock of the node that stored it may be ahead.
    this.#steadySince = Math.min(stored ?? clock.now(), clock.now())
    await this.#insert()
    await this.#takeOver(engine === 'sqlite' ? 'all' : this.#deadUnlessGrace(), { sparesOwn: true })
  }

  /** Renews the lease. One that was lost is taken anew, after everything that ran under it was stopped. */
  async renew(): Promise<void> {
    const { metrics, running } = this.#deps
    const isOurs = await this.#extend()
    metrics.leaseRenewed(isOurs ? 'renewed' : 'retaken')
    if (isOurs) return
    // Another node has failed these executions: under a new lease they could have effects again.
    running.stopAll('lease-lost')
    await this.#insert()
  }

  /**
   * Fails executions that no node runs. After a gap in all renewals the others have ten seconds to renew first. `sparesOwn`
   * leaves this node's overdue executions, whose outcomes are still to be written.
   */
  async sweep({ sparesOwn = false } = {}): Promise<void> {
    await this.#takeOver(this.#deadUnlessGrace(), { sparesOwn })
  }

  async release(): Promise<void> {
    this.#heldUntil = Number.NEGATIVE_INFINITY
    await dropLease(this.#deps.db, this.#deps.nodeId)
  }

  #claim() {
    const until = this.#deps.clock.now() + LEASE_MS
    this.#latestUntil = Math.max(this.#latestUntil, until)
    return { until, heldUntil: this.#deps.monotonicClock.now() + LEASE_MS }
  }

  async #insert(): Promise<void> {
    const { db, nodeId, clock, settings, nodeUrl: url } = this.#deps
    const { until, heldUntil } = this.#claim()
    const times = { lease_until: until, started_at: this.#startedAt, steady_since: this.#steadySince }
    await takeLease(db, { node_id: nodeId, settings: JSON.stringify(settings), url, ...times })
    this.#heldUntil = heldUntil
    this.#renewedAt = clock.now()
  }

  async #extend(): Promise<boolean> {
    const { db, nodeId, clock } = this.#deps
    this.#noteGap()
    const { until, heldUntil } = this.#claim()
    const [steadySince, latestUntil] = [this.#steadySince, this.#latestUntil]
    const isOurs = await extendLease(db, { nodeId, until, steadySince, latestUntil }).catch((error: unknown) => {
      // The grace of the other nodes begins anew.
      if (this.#renewedAt - this.#steadySince < GRACE_MS) this.#steadySince = clock.now()
      throw error
    })
    // The answer itself may have taken that long.
    this.#noteGap()
    this.#renewedAt = clock.now()
    if (isOurs) this.#heldUntil = heldUntil
    return isOurs && this.#steadySince !== steadySince ? this.#extend() : isOurs
  }

  #noteGap(): void {
    const now = this.#deps.clock.now()
    // A time in the future: the clock was ahead, and has been set back.
    if (now - this.#renewedAt > MISSED_MS || now < this.#steadySince) this.#steadySince = now
  }

  // During the grace no node is taken for dead.
  #deadUnlessGrace(): 'dead' | 'none' {
    return this.#deps.clock.now() - this.#steadySince < GRACE_MS ? 'none' : 'dead'
  }

  async #takeOver(nodes: 'all' | 'dead' | 'none', { sparesOwn }: { sparesOwn: boolean }): Promise<void> {
    const { db, clock, monotonicClock, limits, nodeId, metrics, logger } = this.#deps
    const [now, elapsed] = [clock.now(), monotonicClock.now()]
    const leases = await readOtherLeases(db, nodeId)
    const { dead, renewing } = this.#detector.classify(leases, { now, elapsed })
    const living = nodes === 'all' ? [] : renewing
    this.liveNodes = 1 + living.length
    this.#reportSettings(living)
    // By the earlier of both clocks: a wall clock that is set forward makes no new execution overdue.
    const overdueMs = limits.executionMs + limits.dispatchMs + OVERDUE_MARGIN_MS
    const overdueBefore = sparesOwn ? null : Math.min(now, elapsed + this.#startOffset) - overdueMs
    const deadNodes = { all: leases, dead, none: [] }[nodes]
    const count = await takeOverExecutions(db, { now, nodeId, overdueBefore, deadNodes })
    if (count === 0) return
    metrics.executionsInterrupted(count)
    metrics.approvals('expired', await expireSome(db, 'of failed executions', EXPIRED_AT_ONCE))
    logger.warn({ count }, 'executions without a live node were marked as failed')
  }

  /** Logs each setting in which another replica differs, once for each value. */
  #reportSettings(others: readonly OtherLease[]): void {
    for (const { nodeId, settings } of others) {
      for (const difference of differingSettings(this.#deps.settings, settings)) {
        const key = JSON.stringify(difference)
        if (!this.#reported.has(key))
          this.#deps.logger.warn({ ...difference, nodeId }, 'another replica has other settings')
        this.#reported.add(key)
      }
    }
  }
}
