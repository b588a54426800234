import type { Problem, ProblemKind } from '@svc/widget'

const SENTENCES: Readonly<Record<ProblemKind, string>> = {
  stopped: 'You stopped it.',
  no_token: 'The page could not say who is signed in.',
  unreachable: 'The service cannot be reached.',
  interrupted: 'The connection was lost before the answer was complete.',
  rate_limited: 'That was a lot at once.',
  failed: 'The execution failed.',
  refused: 'The question was not taken.',
  misconfigured: 'The service did not let the question in.',
}

/** Why a question has no answer: the service’s own words where it had some, and when to ask again. */
export function problemSentence({ kind, detail, retryAt }: Problem, nowMs: number): string {
  const sentence = detail ?? SENTENCES[kind]
  if (retryAt === null || retryAt <= nowMs) return sentence
  return `${sentence} Try again in ${Math.ceil((retryAt - nowMs) / 1_000)} s.`
}
