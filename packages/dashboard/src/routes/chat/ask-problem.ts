import { ClientError } from '@svc/widget'

/** Why a question has no answer, as a sentence with a way on. */
export function askProblem(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'You stopped it.'
  if (!(error instanceof ClientError)) return 'Something went wrong in this page. Reload it and try again.'
  if (error.kind === 'unauthorized') return 'Your session is over. Reload the page to log in again.'
  if (error.retryAfterMs === null) return error.message
  return `${error.message} Try again in ${Math.ceil(error.retryAfterMs / 1_000)} s.`
}
