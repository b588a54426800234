import type { Problem, ProblemKind } from '@svc/widget'

const SENTENCES: Readonly<Record<ProblemKind, string>> = {
  stopped: 'You stopped the answer.',
  no_token: 'The page did not provide a token of the signed-in user.',
  unreachable: 'The service cannot be reached.',
  interrupted: 'The connection was lost before the answer was complete.',
  rate_limited: 'Too many questions in a short time.',
  failed: 'The execution failed.',
  refused: 'The question was refused.',
  misconfigured: 'The service refused the credentials of this page.',
}

/** Why a question has no answer: the service’s own words where it had some, and when to ask again. */
export function problemSentence({ kind, detail, retryAt }: Problem, nowMs: number): string {
  const sentence = detail ?? SENTENCES[kind]
  if (retryAt === null || retryAt <= nowMs) return sentence
  return `${sentence} Try again in ${Math.ceil((retryAt - nowMs) / 1_000)} s.`
}
