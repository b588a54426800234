import { AnalyticsSummary, BillingUsage } from '@svc/contract'
import { z } from 'zod'
import type { Client } from '../support/client.ts'
import type { HarnessOwner } from '../support/owner.ts'
import type { Store } from '../support/store.ts'
import type { Disturbance, Evidence, ExecutionRow, Ledger } from './checker.ts'
import type { History } from './history.ts'
import { readCalls } from './rows.ts'
import type { Site } from './site.ts'

/** How far the buckets of each account stood from empty at one moment, and what had been admitted by then. */
export type Baseline = ReadonlyMap<string, { units: BucketUnits; fullAt: Buckets; admitted: Buckets }>

interface Buckets {
  executions: number
  anonymous: number
}

/** Milliseconds in which a bucket gains one unit. */
type BucketUnits = Buckets

const HOUR_MS = 3_600_000

/**
 * Reads where every account's buckets stand. From here on each draw moves a bucket by one unit exactly, for as long as
 * it is never full again: so call it when some units are drawn already, and go on drawing.
 */
export async function readBaseline(site: Site): Promise<Baseline> {
  const client = anyClient(site)
  const entries = await Promise.all(
    site.owners.map(async (owner) => {
      const usage = BillingUsage.parse(await get(client, '/v1/billing/usage', owner))
      const units = { executions: unitMs(usage.executions.perHour), anonymous: unitMs(usage.anonymous.perHour) }
      const rows = (await readExecutions(site.store)).filter(({ ownerId }) => ownerId === owner.ownerId)
      const admitted = { executions: rows.length, anonymous: rows.filter(({ kind }) => kind === 'broker').length }
      return [owner.ownerId, { units, fullAt: await readBuckets(site.store, owner.ownerId), admitted }] as const
    }),
  )
  return new Map(entries)
}

export async function gatherEvidence(
  site: Site,
  known: { history: History; baseline: Baseline; disturbances: readonly Disturbance[] },
): Promise<Evidence> {
  const ledgers = await Promise.all(site.owners.map((owner) => readLedger(site, owner, known.baseline)))
  return {
    operations: known.history.operations,
    executions: await readExecutions(site.store),
    calls: (await readCalls(site.store)).map((call) => ({ ...call, status: CallStatus.parse(call.status) })),
    effects: site.endpoint.effects,
    modelRequests: site.model.requests,
    ledgers,
    disturbances: known.disturbances,
  }
}

const Row = z.object({
  execution_id: z.string(),
  owner_id: z.string(),
  kind: z.enum(['execute', 'capability', 'broker']),
  status: z.enum(['running', 'completed', 'failed']),
  node_id: z.string().nullable(),
  total_tokens: z.number(),
  call_count: z.number(),
  metadata: z.string(),
})

const Metadata = z.object({ op: z.number() })

async function readExecutions(store: Store): Promise<ExecutionRow[]> {
  const rows = await store.query(`select ${Object.keys(Row.shape).join(', ')} from executions`)
  return rows.map((read) => {
    const row = Row.parse(read)
    return {
      executionId: row.execution_id,
      ownerId: row.owner_id,
      op: Metadata.parse(JSON.parse(row.metadata)).op,
      kind: row.kind,
      status: row.status,
      nodeId: row.node_id,
      tokens: row.total_tokens,
      callCount: row.call_count,
    }
  })
}

const CallStatus = z.enum(['dispatched', 'completed', 'failed'])

async function readLedger(site: Site, owner: HarnessOwner, baseline: Baseline): Promise<Ledger> {
  const { ownerId } = owner
  const before = baseline.get(ownerId)
  if (!before) throw new Error(`there is no baseline of ${ownerId}`)
  const fullAt = await readBuckets(site.store, ownerId)
  const drawn = (name: keyof Buckets) =>
    before.admitted[name] + (fullAt[name] - before.fullAt[name]) / before.units[name]
  const { totals } = AnalyticsSummary.parse(await get(anyClient(site), '/v1/analytics/summary', owner))
  const { executions, completed, failed, capabilityCalls, totalTokens } = totals
  return {
    ownerId,
    drawn: { executions: drawn('executions'), anonymous: drawn('anonymous') },
    usage: { executions, completed, failed, capabilityCalls, totalTokens },
  }
}

const Bucket = z.object({ bucket: z.string(), full_at: z.number() })

async function readBuckets(store: Store, ownerId: string): Promise<Buckets> {
  const rows = await store.query('select bucket, full_at from allowances where owner_id = ?', [ownerId])
  const fullAt = new Map(
    rows.map((read) => {
      const row = Bucket.parse(read)
      return [row.bucket, row.full_at]
    }),
  )
  return { executions: fullAt.get('executions') ?? Number.NaN, anonymous: fullAt.get('anonymous') ?? Number.NaN }
}

function unitMs(perHour: number | null): number {
  return perHour === null ? Number.NaN : Math.ceil(HOUR_MS / perHour)
}

export function anyClient(site: Pick<Site, 'fleet'>): Client {
  const [replica] = site.fleet.live
  if (!replica) throw new Error('no server is left to ask')
  return replica.client
}

/** Reads as an owner. Throws an answer that is not a 200. */
export async function get(client: Client, path: string, owner: HarnessOwner): Promise<unknown> {
  const heard = await client.send({ method: 'GET', path, key: owner.apiKey })
  if (heard.kind === 'broken') throw new Error(`${path}: ${heard.reason}`)
  if (heard.status !== 200) throw new Error(`${path} answered ${heard.status}: ${heard.text}`)
  return JSON.parse(heard.text)
}
