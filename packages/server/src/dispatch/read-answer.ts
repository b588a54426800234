import type { JsonText } from '../lib/json-text.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import type { Limits } from '../limits.ts'
import type { Secret } from '../secrets/secret.ts'
import type { CallFailure } from './failures.ts'
import { parseAnswer } from './parse-answer.ts'
import { redactorOf } from './redact.ts'

/** The body of a 200, and what it takes to read it. */
export interface GivenAnswer {
  /** Whose endpoint it came from: owners take turns where answers wait. */
  ownerId: string
  body: Uint8Array
  endUserToken: Secret | undefined
  limits: Pick<Limits, 'responseValues'>
  /** Ends the wait. */
  signal: StopSignal
}

/** What a model and a trace may see is `redacted`: without the end user's token. */
export type ReadAnswer = { ok: true; output: JsonText; redacted: JsonText } | { ok: false; failure: CallFailure }

/** Reads large answers. */
export interface AnswerReader {
  read(answer: GivenAnswer): Promise<ReadAnswer>
  close(): Promise<void>
}

/** Reads an answer at once, in this thread. */
export function readAnswer({
  body,
  endUserToken,
  limits,
}: Pick<GivenAnswer, 'body' | 'endUserToken' | 'limits'>): ReadAnswer {
  const answer = parseAnswer(body, limits)
  const redactor = redactorOf(endUserToken)
  if (answer.ok) return { ...answer, redacted: redactor.json(answer.output) }
  const { failure } = answer
  const message = redactor.text(failure.message)
  return message === failure.message ? answer : { ok: false, failure: { ...failure, message } }
}
