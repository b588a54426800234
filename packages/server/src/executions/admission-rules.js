import { grant } from '../usage/grant.js'
import { TRUNCATED } from '../usage/truncated.js'

/**
 * @import { Tier } from '@svc/contract'
 * @import { Plan } from '../usage/rules.ts'
 * @import { Admission, Batch, BucketRow, CurrentRuntime, NewRow } from './batch-rules.ts'
 * @typedef {{ runtimes: readonly CurrentRuntime[], buckets: readonly BucketRow[] }} Stored
 */

/**
 * Decides a batch, request by request: who is let in, what is stored of them, and which buckets have changed. The same for
 * both engines, so that they admit alike; it runs in the thread of SQLite, too, and is plain JavaScript for that.
 * @param {Batch['admissions']} requests
 * @param {Stored & { plans: Readonly<Record<Tier, Plan>>, now: number }} state
 */
export function decideAdmissions(requests, { runtimes, buckets, plans, now }) {
  const known = new Map(runtimes.map((runtime) => [runtime.runtime_id, runtime]))
  const owners = bucketsByOwner(buckets)
  /** @type {NewRow[]} */
  const admitted = []
  const admissions = requests.map(({ door, revision, row }) => {
    const runtime = known.get(row.runtime_id)
    if (!runtime || runtime.revision !== revision) return /** @type {Admission} */ ({ outcome: 'stale' })
    const plan = plans[runtime.tier]
    const own = owners.get(row.owner_id) ?? new Map()
    owners.set(row.owner_id, own)
    const granted = grant(own, plan.draws[door], now)
    if (!granted.ok) return /** @type {Admission} */ ({ outcome: 'refused', grant: granted })
    const { tier, stored_bytes: storedBytes } = runtime
    const isPast = plan.storedBytes !== null && storedBytes >= plan.storedBytes
    admitted.push(isPast ? withoutPayloads(row) : row)
    return /** @type {Admission} */ ({ outcome: 'admitted', tier, storedBytes })
  })
  const before = bucketsByOwner(buckets)
  const after = [...owners].flatMap(([owner_id, own]) =>
    [...own].map(([bucket, full_at]) => ({ owner_id, bucket, full_at })),
  )
  const changed = after.filter(({ owner_id, bucket, full_at }) => before.get(owner_id)?.get(bucket) !== full_at)
  return { admissions, admitted, changed: changed.sort(inOrder) }
}

/** @type {(a: BucketRow, b: BucketRow) => number} */
function inOrder(a, b) {
  return `${a.owner_id} ${a.bucket}` < `${b.owner_id} ${b.bucket}` ? -1 : 1
}

/** @param {readonly BucketRow[]} buckets */
function bucketsByOwner(buckets) {
  /** @type {Map<string, Map<string, number>>} */
  const owners = new Map()
  for (const { owner_id, bucket, full_at } of buckets) {
    const own = owners.get(owner_id) ?? new Map()
    owners.set(owner_id, own.set(bucket, full_at))
  }
  return owners
}

/** @type {(row: NewRow) => NewRow} */
function withoutPayloads(row) {
  const calls = row.calls && { .../** @type {object} */ (JSON.parse(row.calls)), input: JSON.parse(TRUNCATED) }
  const metadata = row.metadata === null ? null : TRUNCATED
  return { ...row, metadata, message_shape: '[]', calls: calls && JSON.stringify(calls) }
}
