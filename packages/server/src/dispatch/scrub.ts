import { isJsonObject } from '@svc/contract'
import type { Secret } from '../secrets/secret.ts'
import type { ParsedAnswer } from './parse-answer.ts'

const REPLACEMENT = '[end-user token]'
// A shorter token would be found in ordinary words, and an answer full of holes helps nobody.
const SHORTEST_LENGTH = 8

/** The answer without the end user's token, which an endpoint may echo: it must reach no transcript and no trace. */
export function withoutToken(answer: ParsedAnswer, endUserToken: Secret | undefined): ParsedAnswer {
  const token = endUserToken?.reveal() ?? ''
  if (token.length < SHORTEST_LENGTH) return answer
  if (answer.ok) return { ok: true, output: scrub(answer.output, token) }
  return { ok: false, failure: { ...answer.failure, message: answer.failure.message.replaceAll(token, REPLACEMENT) } }
}

function scrub(value: unknown, token: string): unknown {
  if (typeof value === 'string') return value.replaceAll(token, REPLACEMENT)
  if (Array.isArray(value)) return value.map((item) => scrub(item, token))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key.replaceAll(token, REPLACEMENT), scrub(held, token)]),
  )
}
