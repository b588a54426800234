import type { JsonDocument } from '../lib/json-document.ts'
import type { Limits } from '../limits.ts'
import type { Secret } from '../secrets/secret.ts'
import type { CallFailure } from './failures.ts'
import { parseAnswer } from './parse-answer.ts'
import { redactorOf } from './redact.ts'

/** The body of a 200. */
export interface AnswerBody {
  body: Uint8Array
  endUserToken: Secret | undefined
  limits: Pick<Limits, 'responseValues'>
}

/** `redacted` is for model and trace: without the end user's token. */
export type ReadAnswer =
  | { ok: true; output: JsonDocument; redacted: JsonDocument }
  | { ok: false; failure: CallFailure; isUnknown?: boolean }

/** Reads an answer in the calling thread. */
export function readAnswer({ body, endUserToken, limits }: AnswerBody): ReadAnswer {
  const answer = parseAnswer(body, limits)
  const redactor = redactorOf(endUserToken)
  if (answer.ok) return { redacted: redactor.json(answer.output), ...answer }
  const message = redactor.text(answer.failure.message)
  // The same object where nothing was replaced: failures are compared by identity.
  return message === answer.failure.message ? answer : { ok: false, failure: { ...answer.failure, message } }
}
