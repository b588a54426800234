/** A set whose members lie in one bucket per second of expiry: a sweep looks at seconds, never at every member. */
export function createExpiringSet() {
  const members = new Set<string>()
  const buckets = new Map<number, string[]>()
  let sweptSecond = 0
  let forgottenSecond = 0

  return {
    has: (member: string) => members.has(member),
    size: () => members.size,
    /** The latest expiry of any member that was swept away, in milliseconds. */
    forgottenUpTo: () => forgottenSecond * 1000,
    add(member: string, expiresAt: number): void {
      const second = Math.ceil(expiresAt / 1000)
      const bucket = buckets.get(second)
      if (bucket) bucket.push(member)
      else buckets.set(second, [member])
      members.add(member)
    },
    sweep(now: number): void {
      const second = Math.floor(now / 1000)
      if (second === sweptSecond || Number.isNaN(second)) return
      sweptSecond = second
      for (const [expiry, bucket] of buckets) {
        if (expiry > second) continue
        for (const member of bucket) members.delete(member)
        buckets.delete(expiry)
        forgottenSecond = Math.max(forgottenSecond, expiry)
      }
    },
  }
}
