import { setTimeout as pause } from 'node:timers/promises'
import { AnalyticsSummary, BillingUsage } from '@svc/contract'
import type { ClientRequest } from '../support/client.ts'
import { brokerPath, get, type LabOwner, saying } from '../support/environment.ts'
import type { Random } from '../support/random.ts'
import { atLeast, atMost, type Check, exactly } from '../support/scenario.ts'
import type { Store } from '../support/store.ts'
import { until } from '../support/within.ts'
import { admittedOf, type Disturbance, invariantChecks, judge, type Ledger, wasDisturbed } from './checker.ts'
import { anyReplica, CAPABILITY, type LoadTarget, type Replica, type Work } from './load-target.ts'
import { type ClientOutcome, drawPlan, type Operation, outcomeOf, type Plan, planWords } from './operations.ts'
import { readCalls, readExecutions, reconciledWithin, runningAfter } from './rows.ts'

const CLIENTS = 16
// More than the refill of the slowest bucket gives back before the load has begun in earnest.
const WARM_UP = 60
// After each further failure a client waits longer: refusals count towards the rate of a runtime, too.
const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 400
const HOUR_MS = 3_600_000
// Questions may be lost with their servers: the next ones are brought forward.
const RECONCILED_MS = 60_000

/** For each fault, at least. */
const ACKNOWLEDGED_EACH = 5
const EFFECTS_EACH = 2
/** The largest share of refusals by an undisturbed server. A service that refuses everything breaks no invariant. */
const REFUSED_SHARE = 0.2

/** Clients that send one operation after the other, and the outcomes of these operations. */
export class Load {
  readonly operations: Operation[] = []
  readonly disturbances: Disturbance[] = []
  readonly target: LoadTarget
  readonly #random: Random
  readonly #clients: Promise<void>[] = []
  #ops = 0
  #isStopped = false
  #warmUp = { operations: 0, effects: 0 }
  #baseline = new Map<string, { fullAt: Ledger['drawn']; admitted: Ledger['drawn'] }>()

  constructor(target: LoadTarget, random: Random) {
    this.target = target
    this.#random = random
  }

  /** Takes some units from every bucket, reads the buckets, and begins. */
  async start(clients = CLIENTS): Promise<this> {
    const first = anyReplica(this.target)
    while (this.#ops < WARM_UP) await Promise.all(Array.from({ length: 6 }, () => this.perform(first, this.draw())))
    const rows = await readExecutions(this.target.store)
    for (const { ownerId } of this.target.owners) {
      const admitted = admittedOf(rows.filter((row) => row.ownerId === ownerId))
      this.#baseline.set(ownerId, { fullAt: await readBuckets(this.target.store, ownerId), admitted })
    }
    this.#warmUp = { operations: this.operations.length, effects: this.target.effects.size }
    this.addClients(clients)
    return this
  }

  addClients(count: number): void {
    for (let index = 0; index < count; index += 1) this.#clients.push(this.#work())
  }

  async #work(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isStopped; ) {
      const [first, ...rest] = this.target.replicaSet.live
      const outcome = first ? await this.perform(this.#random.pick([first, ...rest]), this.draw()) : null
      const hasFailed = outcome === null || outcome.as === 'refused' || outcome.as === 'unknown'
      if (hasFailed) await pause(pauseMs)
      pauseMs = hasFailed ? Math.min(2 * pauseMs, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS
    }
  }

  draw(changes: Partial<Plan> = {}): Plan {
    return { ...drawPlan(this.#random, this.#ops++, this.target.runtimes.length), ...changes }
  }

  /** Performs one operation on a server, and records its outcome. */
  async perform(replica: Replica, plan: Plan): Promise<ClientOutcome> {
    const { nodeId, client } = replica
    const invokedAt = Date.now()
    const outcome = outcomeOf(plan.route, await client.send(this.#requestOf(plan)))
    this.operations.push({ plan, nodeId, invokedAt, endedAt: Date.now(), outcome })
    return outcome
  }

  #requestOf(plan: Plan): ClientRequest {
    const { op, callMs: ms, isReset: reset, route } = plan
    const { runtimeId = '', publicKey: key } = this.target.runtimes[plan.runtime] ?? {}
    const metadata = { op }
    if (route === 'broker') {
      const input: Work = { op, ms, reset }
      return { path: brokerPath({ runtimeId }, CAPABILITY), body: { input, metadata } }
    }
    const headers = { accept: route === 'stream' ? 'text/event-stream' : 'application/json' }
    return { path: '/v1/runtime/execute', key, body: { messages: saying(planWords(plan)), metadata }, headers }
  }

  /** Records that operations of a node may fail from now on; the returned function ends that period. */
  disturb({ nodeId }: Pick<Replica, 'nodeId'>): () => void {
    const disturbance = { nodeId, from: Date.now(), to: Number.POSITIVE_INFINITY }
    this.disturbances.push(disturbance)
    return () => {
      disturbance.to = Date.now()
    }
  }

  /** Resolves when a node has completed so many operations more, or after half a minute. */
  async answered({ nodeId }: Pick<Replica, 'nodeId'>, count: number): Promise<void> {
    const from = this.operations.length
    const isAnswer = (one: Operation) => one.nodeId === nodeId && one.outcome.as === 'completed'
    await until(() => this.operations.slice(from).filter(isAnswer).length >= count, 30_000, 5)
  }

  /** Operations whose client does not know whether they happened: that the faults were felt. */
  brokenOff(): Check {
    return atLeast(
      'operations that broke off',
      this.operations.filter(({ outcome }) => outcome.as === 'unknown').length,
      1,
    )
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#clients)
  }

  /** Ends the load, waits until nothing runs any more, no longer than `quietMs`, and judges. */
  async judge(quietMs: number, faults: number): Promise<Check[]> {
    const { target, operations, disturbances } = this
    await this.stop()
    await runningAfter(target.store, quietMs)
    await reconciledWithin(target.store, RECONCILED_MS)
    const breaches = judge({
      operations,
      executions: await readExecutions(target.store),
      calls: await readCalls(target.store),
      effects: target.effects,
      modelRequests: new Map([...target.modelRequests].map(([op, count]) => [Number(op), count])),
      ledgers: await Promise.all(target.owners.map((owner) => this.#readLedger(owner))),
      disturbances,
    })
    const own = operations.slice(this.#warmUp.operations)
    const acknowledged = own.filter(({ outcome }) => outcome.as === 'completed' || outcome.as === 'failed')
    const calm = own.filter((operation) => !wasDisturbed(operation, disturbances))
    const refused = calm.filter(({ outcome }) => outcome.as === 'refused')
    const effects = target.effects.size - this.#warmUp.effects
    return [
      ...invariantChecks(breaches),
      exactly('servers that ended by themselves', target.replicaSet.hasLostOne ? 1 : 0, 0),
      atLeast('acknowledged executions, the warm-up aside', acknowledged.length, faults * ACKNOWLEDGED_EACH),
      atLeast('calls that reached the endpoint, the warm-up aside', effects, faults * EFFECTS_EACH),
      atMost('share of refusals while nothing was wrong', refused.length / Math.max(1, calm.length), REFUSED_SHARE),
    ]
  }

  async #readLedger({ ownerId, apiKey }: LabOwner): Promise<Ledger> {
    const before = this.#baseline.get(ownerId)
    if (!before) throw new Error(`there is no baseline of ${ownerId}`)
    const { url } = anyReplica(this.target).server
    const limits = BillingUsage.parse(await get(`${url}/v1/billing/usage`, apiKey))
    const fullAt = await readBuckets(this.target.store, ownerId)
    // From the baseline on each draw moves a bucket by one unit exactly, for as long as it is never full again.
    const drawn = (name: keyof Ledger['drawn']) => {
      const unitMs = Math.ceil(HOUR_MS / (limits[name].perHour ?? Number.NaN))
      return before.admitted[name] + (fullAt[name] - before.fullAt[name]) / unitMs
    }
    const { totals } = AnalyticsSummary.parse(await get(`${url}/v1/analytics/summary`, apiKey))
    const { executions, completed, failed, capabilityCalls, totalTokens } = totals
    return {
      ownerId,
      drawn: { executions: drawn('executions'), anonymous: drawn('anonymous') },
      usage: { executions, completed, failed, capabilityCalls, totalTokens },
    }
  }
}

async function readBuckets(store: Store, ownerId: string): Promise<Ledger['drawn']> {
  const rows = await store.query('select bucket, full_at from allowances where owner_id = ?', [ownerId])
  const fullAt = new Map(rows.map((row) => [row['bucket'], Number(row['full_at'])]))
  return { executions: fullAt.get('executions') ?? Number.NaN, anonymous: fullAt.get('anonymous') ?? Number.NaN }
}
