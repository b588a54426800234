import type { Database } from '../database/open.ts'
import type { Deps } from '../deps.ts'
import type { Clock } from '../lib/clock.ts'
import {
  dropLease,
  extendLease,
  failAbandoned,
  type OtherLease,
  readOtherLeases,
  readSteadySince,
  takeLease,
} from './lease-store.ts'
import { differingSettings, type NodeSettings } from './node-settings-rules.ts'
import { NodeWatch } from './node-watch-rules.ts'

export const LEASE_MS = 30_000
export const RENEWAL_MS = 10_000

// Beyond the time limits of an execution, its last call and its settlement, no row of ours is under way.
const OVERDUE_MARGIN_MS = 60_000

// Renewals come every ten seconds: after this long without one, the database may have been away from all nodes alike.
const MISSED_MS = 1.5 * RENEWAL_MS

// As soon as it is back every living node renews: one that fails is tried again each second, one that hangs after six.
const SPARING_MS = RENEWAL_MS

interface LeaseDeps extends Pick<Deps, 'db' | 'clock' | 'limits' | 'logger' | 'metrics' | 'running'> {
  engine: Database['engine']
  nodeId: string
  monotonicClock: Clock
  /** Kept beside the lease, for other replicas to compare with theirs. */
  settings: NodeSettings
}

export type NodeLease = ReturnType<typeof createNodeLease>

/** This process's claim on the executions it runs. While it holds, nobody else ends them. */
export function createNodeLease(deps: LeaseDeps) {
  const { db, clock, monotonicClock, nodeId } = deps
  const startedAt = clock.now()
  const takeOver = createTakeOver(deps)
  // Of the monotonic clock: a clock that is set back must not make a lease longer.
  let heldUntil = Number.NEGATIVE_INFINITY
  let latestUntil = 0
  let renewedAt = startedAt
  // Told to those who start: they cannot know by themselves how long the database was away before.
  let steadySince = startedAt
  const claim = () => {
    const until = clock.now() + LEASE_MS
    latestUntil = Math.max(latestUntil, until)
    return { until, heldUntil: monotonicClock.now() + LEASE_MS }
  }
  const take = async () => {
    const claimed = claim()
    await takeLease(db, {
      nodeId,
      until: claimed.until,
      steadySince,
      startedAt,
      settings: JSON.stringify(deps.settings),
    })
    heldUntil = claimed.heldUntil
    renewedAt = clock.now()
  }
  const noteGap = () => {
    const now = clock.now()
    // A time to come: the clock was ahead, and has been set back.
    if (now - renewedAt > MISSED_MS || now < steadySince) steadySince = now
  }
  // Of the time that others are given to renew, none counts in which the database was away again.
  const noteOutage = (error: unknown): never => {
    if (renewedAt - steadySince < SPARING_MS) steadySince = clock.now()
    throw error
  }
  const extend = async (): Promise<boolean> => {
    noteGap()
    const { until, heldUntil: claimedUntil } = claim()
    const claimed = { until, steadySince }
    const isOurs = await extendLease(db, { nodeId, ...claimed, latestUntil }).catch(noteOutage)
    // The answer itself may have taken so long.
    noteGap()
    renewedAt = clock.now()
    if (isOurs) heldUntil = claimedUntil
    return isOurs && steadySince !== claimed.steadySince ? extend() : isOurs
  }
  const deadOnes = () => (clock.now() - steadySince < SPARING_MS ? 'none' : 'dead')
  return {
    /** False once the lease may have run out: nothing with an effect is started then. */
    isHeld: () => monotonicClock.now() < heldUntil,
    /** Servers that renew their leases in time, this one included, as of the last sweep. */
    get liveNodes() {
      return takeOver.liveNodes
    },
    /** Takes the lease and, where this node is the only one there can be, fails what earlier processes left behind. */
    async take() {
      // Whoever renewed lately has a lease that ends so late.
      const lately = clock.now() - MISSED_MS + LEASE_MS
      const told = (await readSteadySince(db, lately)) ?? clock.now()
      // The clock of the one that knew may have been ahead.
      steadySince = Math.min(told, clock.now())
      await take()
      // The embedded store has one server at a time, so at its start whatever runs was left by a dead one. Of its own there
      // is nothing yet.
      await takeOver.from(deps.engine === 'sqlite' ? 'all' : deadOnes(), { sparesOwn: true })
    },
    /** Renews the lease. Where it had been lost, another node has failed what this one runs: it is stopped, a new one taken. */
    async renew() {
      const isOurs = await extend()
      deps.metrics.leaseRenewed(isOurs ? 'renewed' : 'retaken')
      if (isOurs) return
      // Before a new lease is taken: under it, what was lost would be free to have effects again.
      deps.running.stopAll('lease-lost')
      await take()
    },
    /**
     * Fails what nobody runs any more. After a gap in all renewals the others have ten seconds to renew, anew with each
     * renewal of this one's that fails in them. `sparesOwn`: not this node's own, whose outcomes are still to be written.
     */
    sweep: ({ sparesOwn = false } = {}) => takeOver.from(deadOnes(), { sparesOwn }),
    async release() {
      heldUntil = Number.NEGATIVE_INFINITY
      await dropLease(db, nodeId)
    },
  }
}

function createTakeOver(deps: LeaseDeps) {
  const { db, clock, monotonicClock, limits, nodeId, metrics, logger } = deps
  const compare = createComparison(deps)
  const watch = new NodeWatch({ leaseMs: LEASE_MS, renewalMs: RENEWAL_MS })
  const overdueMs = limits.executionMs + limits.dispatchMs + OVERDUE_MARGIN_MS
  const startOffset = clock.now() - monotonicClock.now()
  let liveNodes = 1
  return {
    get liveNodes() {
      return liveNodes
    },
    /** Fails what these other nodes ran, and unless they are spared this node's own executions that are overdue. */
    async from(others: 'all' | 'dead' | 'none', { sparesOwn }: { sparesOwn: boolean }): Promise<void> {
      const [now, elapsed] = [clock.now(), monotonicClock.now()]
      const leases = await readOtherLeases(db, nodeId)
      const { dead, renewing } = watch.look(leases, { now, elapsed })
      const deadNodes = { all: leases, dead, none: [] }[others]
      const living = others === 'all' ? [] : renewing
      liveNodes = 1 + living.length
      compare(living)
      // The earlier of both: a clock that was set forward makes no execution overdue that has just begun.
      const overdueBefore = sparesOwn ? null : Math.min(now, elapsed + startOffset) - overdueMs
      const count = await failAbandoned(db, { now, nodeId, overdueBefore, deadNodes })
      if (count === 0) return
      metrics.executionsInterrupted(count)
      logger.warn({ count }, 'failed executions that were interrupted')
    },
  }
}

/** Tells of replicas that are set up differently, once of each value of a setting. */
function createComparison({ settings, logger }: LeaseDeps): (others: readonly OtherLease[]) => void {
  const told = new Set<string>()
  return (others) => {
    for (const { nodeId, settings: stored } of others) {
      for (const difference of differingSettings(settings, stored)) {
        const key = JSON.stringify(difference)
        if (!told.has(key)) logger.warn({ ...difference, nodeId }, 'another replica has other settings')
        told.add(key)
      }
    }
  }
}
