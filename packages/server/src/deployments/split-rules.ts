import type { Keyring } from '../secrets/keyring.ts'

/** A share is compared with a point from 0 up to this, so that one percent is a hundred points. */
const POINTS = 10_000

/** The end user or conversation that stays on one side of the split. */
export interface SplitSubject {
  kind: 'end-user' | 'conversation'
  id: string
}

interface SplitDeps {
  keyring: Pick<Keyring, 'hash'>
  random: () => number
}

/**
 * The point of a subject, the same on every replica and for every share; of none, one by chance. Nobody without the master key
 * can compute ids for a side.
 */
export function splitPoint({ keyring, random }: SplitDeps, runtimeId: string, subject: SplitSubject | null): number {
  if (subject === null) return Math.floor(random() * POINTS)
  const digest = keyring.hash(`split ${JSON.stringify([runtimeId, subject.kind, subject.id])}`)
  return Number.parseInt(digest.slice(0, 12), 16) % POINTS
}

/** Whether a point falls to a candidate with this share, in percent. A larger share keeps whom a smaller one had. */
export function isForCandidate(point: number, traffic: number): boolean {
  return point * 100 < traffic * POINTS
}
