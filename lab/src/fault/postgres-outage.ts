import { setTimeout as pause } from 'node:timers/promises'
import { type Client, createClient } from '../support/client.ts'
import { atLeast, atMost, type Check, exactly, type Scenario } from '../support/scenario.ts'
import type { Outage } from '../support/tcp-relay.ts'
import { until } from '../support/within.ts'
import { Load } from './load.ts'
import { openLoadTarget, PAUSES, type Replica } from './load-target.ts'
import type { ClientOutcome, Operation } from './operations.ts'
import { openRelayedStore, type RelayedStore } from './relayed-store.ts'

const OUTAGES: readonly Outage[] = ['refuse', 'hang', 'reset']
/** Longer than a lease; the shortest leaves ten seconds in which each operation is judged, however late it ends. */
const OUTAGE_S = 45
const SHORTEST_S = 20
const CLIENTS = 6
const LASTING_MS = 15_000
const LASTING_EACH = 2
const DISPATCH_MS = 5_000
const OVERDUE_MARGIN_MS = 90_000
const WAIT_MS = 30_000
/** A statement is given up after five and a half seconds, waiting for a connection after two; then a new connection. */
const REFUSED_WITHIN_MS = 10_000
/** `/ready` waits two seconds for the database, and believes what it saw for one. */
const UNREADY_AFTER_MS = 4_000
const FIRST_SUCCESS_MS = 5_000
const FEWEST = 10

export const postgresOutage: Scenario = {
  name: 'postgres-outage',
  title: 'PostgreSQL refused, silent or reset for longer than a lease: servers say so, and lose nothing',
  engines: ['postgres'],
  async run(context) {
    const outageMs = context.count(OUTAGE_S, SHORTEST_S) * 1_000
    const executionMs = outageMs + LASTING_MS + WAIT_MS
    const { relayed: store, relay } = await openRelayedStore(context)
    const limits = { SVC_LIMIT_EXECUTION_MS: String(executionMs), SVC_LIMIT_DISPATCH_MS: String(DISPATCH_MS) }
    const variables = { SVC_OPS_PORT: '0', ...limits }
    const target = await openLoadTarget(context, { store, replicas: 2, variables })
    const load = await new Load(target, context.random.fork()).start(CLIENTS)
    const outages: OutageNotes[] = []
    for (const kind of OUTAGES) {
      const outage = await breakOnce(load, relay, { kind, outageMs })
      outages.push(outage)
      context.say(`${kind}: first success after ${outage.successMs} ms, ${load.operations.length} operations`)
    }
    const checks = await load.judge(executionMs + DISPATCH_MS + OVERDUE_MARGIN_MS, OUTAGES.length)
    return [
      // Not before: operations that hung would be missing.
      ...judgeOutages(outages.map((outage) => ({ ...outage, operations: load.operations }))),
      exactly('executions of living servers that were taken over', await countTakenOver(load), 0),
      ...checks,
    ]
  },
}

/** One look at a server from outside. Times in epoch milliseconds. */
export interface Look {
  what: 'health' | 'readiness' | 'read'
  invokedAt: number
  endedAt: number
  /** 0: no answer. */
  status: number
  hasRetryAfter: boolean
}

/** One outage of the database. */
export interface OutageNotes {
  from: number
  to: number
  looks: readonly Look[]
  operations: readonly Pick<Operation, 'invokedAt' | 'endedAt' | 'outcome'>[]
  /** The outcomes of executions that began before it and ended after it. */
  lasting: readonly ClientOutcome[]
  /** From its end until every server had completed an operation that was asked for since it began. */
  successMs: number
}

interface Break {
  kind: Outage
  outageMs: number
}

async function breakOnce(load: Load, relay: RelayedStore['relay'], { kind, outageMs }: Break): Promise<OutageNotes> {
  const { replicaSet, owners } = load.target
  const answered = () => Promise.all(replicaSet.live.map((replica) => load.answered(replica, 5)))
  await answered()
  const changes = { route: 'stream', calls: 0, isReset: false } as const
  const pieceMs = Math.ceil((outageMs + LASTING_MS) / PAUSES)
  const lasting = replicaSet.live.flatMap((replica) =>
    Array.from({ length: LASTING_EACH }, () => load.perform(replica, load.draw({ ...changes, pieceMs }))),
  )
  await answered()
  const stopWatching = watchAll(replicaSet.live, owners[0]?.apiKey ?? '')
  const endDisturbances = replicaSet.live.map((replica) => load.disturb(replica))
  await relay.breakBy(kind)
  const from = Date.now()
  // Of a silent database, clients that were there before wait for what they had asked for.
  load.addClients(CLIENTS)
  await pause(outageMs)
  const to = Date.now()
  await relay.mend()
  const firsts = () =>
    replicaSet.live.map(({ nodeId }) => {
      const isFirst = ({ nodeId: asked, invokedAt, endedAt, outcome }: Operation) =>
        asked === nodeId && invokedAt >= from && endedAt >= to && outcome.as === 'completed'
      return load.operations.find(isFirst)?.endedAt ?? Number.POSITIVE_INFINITY
    })
  await until(() => Math.max(...firsts()) < Number.POSITIVE_INFINITY, WAIT_MS)
  const [looks, outcome] = await Promise.all([stopWatching(), Promise.all(lasting)])
  for (const end of endDisturbances) end()
  return { from, to, looks, operations: [], lasting: outcome, successMs: Math.max(...firsts()) - to }
}

/** Asks every server for its health, its readiness and a read of the account's, again and again, answered or not. */
function watchAll(replicas: readonly Replica[], apiKey: string): () => Promise<Look[]> {
  const asked: Promise<Look>[] = []
  const clients = replicas.map(({ server }) => [createClient(server.url), createClient(server.opsUrl ?? '')] as const)
  const ask = async (what: Look['what'], client: Client, path: string): Promise<Look> => {
    const invokedAt = Date.now()
    const { status, headers } = await client.send({ method: 'GET', path, key: apiKey })
    const hasRetryAfter = /^\d+$/.test(String(headers['retry-after']))
    return { what, invokedAt, endedAt: Date.now(), status, hasRetryAfter }
  }
  const timer = setInterval(() => {
    for (const [api, ops] of clients)
      asked.push(ask('health', api, '/health'), ask('readiness', ops, '/ready'), ask('read', api, '/v1/runtimes'))
  }, 500)
  return async () => {
    clearInterval(timer)
    return Promise.all(asked)
  }
}

/** Behaviour of servers without their database, and once it is back. Counts over all outages. */
export function judgeOutages(outages: readonly OutageNotes[]): Check[] {
  const looks = (what: Look['what'], afterMs = 0) =>
    outages.map((outage) =>
      outage.looks.filter((look) => look.what === what && isDuring(outage, look, outage.from + afterMs)),
    )
  const asked = outages.map((outage) => outage.operations.filter((one) => isDuring(outage, one)))
  const [reads, health, readiness] = [looks('read'), looks('health'), looks('readiness', UNREADY_AFTER_MS)]
  const lasting = outages.map((outage) => outage.lasting)
  const refused = ({ outcome }: OutageNotes['operations'][number]) => outcome.as === 'refused' && outcome.status === 500
  const longest = (list: readonly Pick<Look, 'invokedAt' | 'endedAt'>[]) =>
    Math.max(0, ...list.map(({ invokedAt, endedAt }) => endedAt - invokedAt))
  const few = (what: string, lists: readonly (readonly unknown[])[], least = FEWEST) =>
    atLeast(`${what}, fewest in an outage`, Math.min(...lists.map(({ length }) => length)), least)
  const but = <T>(what: string, lists: readonly (readonly T[])[], isRight: (one: T) => boolean) =>
    exactly(`of these, ${what}`, lists.flat().filter((one) => !isRight(one)).length, 0)
  return [
    few('operations asked for while it was away', asked),
    but('not refused because the database is away (500)', asked, refused),
    atMost('longest wait for such a refusal', longest(asked.flat()), REFUSED_WITHIN_MS, 'ms'),
    few('reads while it was away', reads),
    but('not refused with 500 and Retry-After', reads, ({ status, hasRetryAfter }) => status === 500 && hasRetryAfter),
    atMost('longest wait for such a refusal of a read', longest(reads.flat()), REFUSED_WITHIN_MS, 'ms'),
    few('looks at /health', health),
    but('not answered with 200', health, ({ status }) => status === 200),
    few('looks at /ready, four seconds into it', readiness),
    but('not answered with 503', readiness, ({ status }) => status === 503),
    few('executions that ran on through it', lasting, 1),
    but('not completed', lasting, ({ as }) => as === 'completed'),
    atMost(
      'until every server had a first success, longest',
      Math.max(...outages.map((one) => one.successMs)),
      FIRST_SUCCESS_MS,
      'ms',
    ),
  ]
}

/** A request shortly before the end may find the database back. All else is judged, however late it ends. */
function isDuring(
  { from, to }: OutageNotes,
  { invokedAt, endedAt }: Pick<Look, 'invokedAt' | 'endedAt'>,
  since = from,
): boolean {
  return invokedAt >= since && (invokedAt <= to - REFUSED_WITHIN_MS || endedAt <= to)
}

/**
 * No server ended, so another one failed what was alive, but for admissions whose commit was never answered: these are
 * failed with the same words.
 */
async function countTakenOver({ target, operations }: Load): Promise<number> {
  const unknown = new Set(
    operations.filter(({ outcome }) => outcome.as === 'unknown').map(({ plan }) => String(plan.op)),
  )
  const rows = await target.store.query('select metadata from executions where error = ?', [
    'The service was interrupted while the execution ran.',
  ])
  return rows.filter(({ metadata }) => !unknown.has(/"op":(\d+)/.exec(String(metadata))?.[1] ?? '')).length
}
