import { hash } from 'node:crypto'

/** A share is compared with a point from 0 up to this, so that one percent is a hundred points. */
const POINTS = 10_000

/** Who or what goes to one side of the split for good. */
export interface SplitSubject {
  kind: 'end-user' | 'conversation'
  id: string
}

/** The point of a subject, the same on every replica and for every share; of none, one by chance. */
export function splitPoint(runtimeId: string, subject: SplitSubject | null, random: () => number): number {
  if (subject === null) return Math.floor(random() * POINTS)
  const digest = hash('sha256', JSON.stringify([runtimeId, subject.kind, subject.id]), 'buffer')
  return digest.readUIntBE(0, 6) % POINTS
}

/** Whether a point falls to a candidate with this share, in percent. A larger share keeps whom a smaller one had. */
export function isForCandidate(point: number, traffic: number): boolean {
  return point * 100 < traffic * POINTS
}
