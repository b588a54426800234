/**
 * @import { Admission, AdmissionRequest } from './batch-rules.ts'
 */

/** How long a key is kept, in milliseconds. */
export const KEY_MS = 24 * 3_600_000

/**
 * The rows of the keys that come with these requests, of each key the first. All others of a key are repeats. Plain
 * JavaScript, because it also runs in the thread of SQLite.
 * @param {readonly AdmissionRequest[]} requests
 * @param {number} now
 */
export function keyRows(requests, now) {
  const rows = new Map()
  for (const { once, row } of requests) {
    if (!once || rows.has(once.key_hash)) continue
    const { owner_id, execution_id } = row
    rows.set(once.key_hash, { ...once, owner_id, execution_id, created_at: now })
  }
  // Rows are locked in this order on every replica.
  return [...rows.values()].sort((a, b) => (a.key_hash < b.key_hash ? -1 : 1))
}

/**
 * The outcomes of all requests, from those of requests that were decided; undefined where a key was taken. A request whose key
 * another one of the batch had shares its refusal.
 * @param {readonly AdmissionRequest[]} requests
 * @param {readonly (Admission | null | undefined)[]} decided
 * @returns {(Admission | null)[]}
 */
export function shareOutcomes(requests, decided) {
  /** @type {Map<string | undefined, Admission | null>} */
  const first = new Map()
  return requests.map(({ once }, index) => {
    const own = decided[index]
    if (own !== undefined) {
      first.set(once?.key_hash, own)
      return own
    }
    const other = first.get(once?.key_hash)
    return other && other.outcome !== 'admitted' ? other : { outcome: 'repeated' }
  })
}
