import type { RawAnswer } from '../support/raw-http.ts'

/** What is wrong with an answer to a page of this origin; null when nothing is. */
export function originFault(answer: RawAnswer, origin: string, isAllowed: boolean): string | null {
  const allowed = answer.headers.get('access-control-allow-origin')
  if (answer.headers.has('access-control-allow-credentials')) return 'it allows credentials'
  const vary = answer.headers.get('vary')?.join().toLowerCase().split(',') ?? []
  if (!vary.some((name) => name.trim() === 'origin')) return `it does not vary by origin (${vary.join()})`
  if (isAllowed)
    return allowed?.join() === origin && answer.status !== 403 ? null : `an allowed origin got ${answer.status}`
  if (answer.status < 400) return `a page that is not allowed got ${answer.status}`
  return allowed === undefined ? null : `a page that is not allowed may read the answer (${allowed.join()})`
}
