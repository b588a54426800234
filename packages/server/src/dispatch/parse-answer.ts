import { isUtf8 } from 'node:buffer'
import { CapabilityAnswer, END_USER_REQUIRED, isJsonObject, type JsonObject, OUTCOME_UNKNOWN } from '@svc/contract'
import { INEXACT_NUMBER, inexactNumber } from '../lib/inexact-number.ts'
import { JsonDocument } from '../lib/json-document.ts'
import { measureJson } from '../lib/json-scan.ts'
import type { Limits } from '../limits.ts'
import { type CallFailure, FAILURES } from './failures.ts'

export type ParsedAnswer = { ok: true; output: JsonDocument } | { ok: false; failure: CallFailure }

const OUTPUT_DEPTH = 32

/** Reads the body of a 200. Depth and number of values are bounded on the text, before it is parsed. */
export function parseAnswer(body: Uint8Array, { responseValues }: Pick<Limits, 'responseValues'>): ParsedAnswer {
  if (!isUtf8(body)) return failed(FAILURES.unusable)
  const text = UTF_8.decode(body)
  const extent = measureJson(text, { depth: OUTPUT_DEPTH + 1, values: responseValues })
  if (extent.depth > OUTPUT_DEPTH + 1) return failed(FAILURES.tooDeep)
  if (extent.values > responseValues) {
    return refused(
      'tooManyValues',
      `The endpoint gave an answer with more than ${responseValues} values: return less, page by page.`,
    )
  }
  const answer = parseJson(text)
  if (!isJsonObject(answer) || !('output' in answer)) return failed(FAILURES.unusable)
  const { output, error = null } = answer
  if (error !== null) return failed(failureIn(answer))
  const inexact = inexactNumber(text, ['output'])
  if (inexact === null) return { ok: true, output: new JsonDocument(JSON.stringify(output)) }
  return refused('inexactNumber', `The endpoint gave an answer that could not be used: “${inexact}” ${INEXACT_NUMBER}`)
}

function failed(failure: CallFailure): ParsedAnswer {
  return { ok: false, failure }
}

function refused(name: string, message: string): ParsedAnswer {
  return { ok: false, failure: { message, transport: 'worked', name } }
}

// Shared, because making a decoder costs as much as reading an answer.
const UTF_8 = new TextDecoder()

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const NOT_KNOWN = 'Whether the call had an effect is unknown.'

function failureIn(answer: JsonObject): CallFailure {
  const error = CapabilityAnswer.safeParse(answer).data?.error
  if (error == null) return FAILURES.unusable
  // PostgreSQL stores no NUL.
  const message = (typeof error === 'string' ? error : error.message).replaceAll('\0', '').trim()
  if (typeof error !== 'string' && error.code === OUTCOME_UNKNOWN) {
    return { message: message || NOT_KNOWN, transport: 'worked', reported: 'unknown' }
  }
  const code = typeof error !== 'string' && error.code === END_USER_REQUIRED ? END_USER_REQUIRED : undefined
  const failure = { message: message || 'The capability failed.', transport: 'worked', reported: 'failed' } as const
  return code ? { ...failure, code } : failure
}
