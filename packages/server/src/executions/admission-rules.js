import { takeFromBuckets } from '../usage/take-from-buckets.js'
import { TRUNCATED } from '../usage/truncated.js'

/**
 * @import { Tier } from '@svc/contract'
 * @import { PlanQuota } from '../usage/quota-rules.ts'
 * @import { Admission, AdmissionRequest, BucketRow, CurrentRuntime } from './batch-rules.ts'
 * @import { NewRow } from './settlement-rules.ts'
 * @typedef {{ runtimes: readonly CurrentRuntime[], buckets: readonly BucketRow[] }} Stored
 */

/**
 * Decides the admission requests of a batch, in their order: which are admitted, the rows to store, the buckets that
 * changed. Both engines use it. Plain JavaScript, because it also runs in the thread of SQLite.
 * @param {readonly AdmissionRequest[]} requests
 * @param {Stored & { plans: Readonly<Record<Tier, PlanQuota>>, now: number }} state
 */
export function decideAdmissions(requests, { runtimes, buckets, plans, now }) {
  const current = new Map(runtimes.map((runtime) => [runtime.runtime_id, runtime]))
  const before = bucketsByOwner(buckets)
  const after = bucketsByOwner(buckets)
  /** @type {NewRow[]} */
  const admitted = []
  /** @type {(request: AdmissionRequest) => Admission} */
  const decide = ({ revision, row }) => {
    const runtime = current.get(row.runtime_id)
    if (!runtime || runtime.revision !== revision) return { outcome: 'stale' }
    const plan = plans[runtime.tier]
    const own = after.get(row.owner_id) ?? new Map()
    after.set(row.owner_id, own)
    const granted = takeFromBuckets(own, plan.draws[row.kind], now)
    if (!granted.ok) return { outcome: 'refused', refusal: granted }
    const { tier, stored_bytes: storedBytes } = runtime
    const isPast = plan.storedBytes !== null && storedBytes >= plan.storedBytes
    admitted.push(isPast ? withoutPayloads(row) : row)
    return { outcome: 'admitted', tier, storedBytes }
  }
  const admissions = requests.map(decide)
  const changed = [...after].flatMap(([owner_id, own]) =>
    [...own].flatMap(([bucket, full_at]) =>
      before.get(owner_id)?.get(bucket) === full_at ? [] : [{ owner_id, bucket, full_at }],
    ),
  )
  return { admissions, admitted, changed: changed.sort(byKey) }
}

// Rows are locked in this order on every replica.
/** @type {(a: BucketRow, b: BucketRow) => number} */
function byKey(a, b) {
  return `${a.owner_id} ${a.bucket}` < `${b.owner_id} ${b.bucket}` ? -1 : 1
}

/** @param {readonly BucketRow[]} buckets */
function bucketsByOwner(buckets) {
  /** @type {Map<string, Map<string, number>>} */
  const owners = new Map()
  for (const { owner_id, bucket, full_at } of buckets) {
    owners.set(owner_id, (owners.get(owner_id) ?? new Map()).set(bucket, full_at))
  }
  return owners
}

/** @type {(row: NewRow) => NewRow} */
function withoutPayloads(row) {
  const calls = row.calls && { .../** @type {object} */ (JSON.parse(row.calls)), input: JSON.parse(TRUNCATED) }
  const metadata = row.metadata && TRUNCATED
  return { ...row, metadata, message_shape: '[]', calls: calls && JSON.stringify(calls) }
}
