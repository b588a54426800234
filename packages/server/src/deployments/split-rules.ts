import type { Keyring } from '../secrets/keyring.ts'

/** Points are 0 to 9,999: one percent is a hundred of them. */
const POINTS = 10_000

/** The end user or conversation whose executions all get the stable deployment, or all the candidate. */
export interface SplitSubject {
  kind: 'end-user' | 'conversation'
  id: string
}

interface SplitDeps {
  keyring: Pick<Keyring, 'hash'>
  random: () => number
}

/**
 * The point of a subject, the same on every replica and for every share; a random one without a subject. The hash is keyed, so
 * that nobody can make up an id that gets the candidate.
 */
export function splitPoint({ keyring, random }: SplitDeps, runtimeId: string, subject: SplitSubject | null): number {
  if (subject === null) return Math.floor(random() * POINTS)
  const digest = keyring.hash(`split ${JSON.stringify([runtimeId, subject.kind, subject.id])}`)
  return Number.parseInt(digest.slice(0, 12), 16) % POINTS
}

/** Whether a candidate with this share, in percent, gets a point. A larger share keeps all points of a smaller one. */
export function isForCandidate(point: number, traffic: number): boolean {
  return point * 100 < traffic * POINTS
}
