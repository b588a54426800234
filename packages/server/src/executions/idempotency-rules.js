/**
 * @import { Admission, AdmissionRequest } from './batch-rules.ts'
 */

/** How long an idempotency key is kept. */
export const KEY_LIFETIME_MS = 24 * 3_600_000

/**
 * The rows of the idempotency keys of these requests. Of requests with one key the first has the row, the others are repeats.
 * Plain JavaScript, because it also runs in the thread of SQLite.
 * @param {readonly AdmissionRequest[]} requests
 * @param {number} now
 */
export function keyRows(requests, now) {
  const rows = new Map()
  for (const { storedKey, row } of requests) {
    if (!storedKey || rows.has(storedKey.key_hash)) continue
    const { owner_id, execution_id } = row
    rows.set(storedKey.key_hash, { ...storedKey, owner_id, execution_id, created_at: now })
  }
  // Rows are locked in this order on every replica.
  return [...rows.values()].sort((a, b) => (a.key_hash < b.key_hash ? -1 : 1))
}

/**
 * The outcomes of all requests. `decided` is undefined where the key was taken. A request whose key an earlier one of the batch
 * took is `repeated`, or shares the refusal of that one.
 * @param {readonly AdmissionRequest[]} requests
 * @param {readonly (Admission | null | undefined)[]} decided
 * @returns {(Admission | null)[]}
 */
export function shareOutcomes(requests, decided) {
  /** @type {Map<string | undefined, Admission | null>} */
  const first = new Map()
  return requests.map(({ storedKey }, index) => {
    const own = decided[index]
    if (own !== undefined) {
      first.set(storedKey?.key_hash, own)
      return own
    }
    const other = first.get(storedKey?.key_hash)
    return other && other.outcome !== 'admitted' ? other : { outcome: 'repeated' }
  })
}
