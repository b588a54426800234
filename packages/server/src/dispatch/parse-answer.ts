import { CapabilityAnswer, isJsonObject, type JsonObject } from '@svc/contract'
import { INEXACT_NUMBER, inexactNumber } from '../lib/inexact-number.ts'
import { measureJson } from '../lib/json-scan.ts'
import { JsonText } from '../lib/json-text.ts'
import type { Limits } from '../limits.ts'
import { type CallFailure, FAILURES } from './failures.ts'

/** An answer that was understood: the capability's output, or the failure that it reported itself. */
export type ParsedAnswer = { ok: true; output: JsonText } | { ok: false; failure: CallFailure }

const OUTPUT_DEPTH = 32

/** Reads the body of a 200. Depth and number of values are bounded on the text, before it is parsed. */
export function parseAnswer(body: Uint8Array, { responseValues }: Pick<Limits, 'responseValues'>): ParsedAnswer {
  const text = decode(body)
  if (text === null) return failed(FAILURES.unusable)
  const extent = measureJson(text, { depth: OUTPUT_DEPTH + 1, values: responseValues })
  if (extent.depth > OUTPUT_DEPTH + 1) return failed(FAILURES.tooDeep)
  if (extent.values > responseValues) return failed(tooManyValues(responseValues))
  const answer = parseJson(text)
  if (!isJsonObject(answer) || !('output' in answer)) return failed(FAILURES.unusable)
  const { output, error = null } = answer
  if (error !== null) return failed(failureIn(answer))
  const inexact = inexactNumber(text, ['output'])
  return inexact === null ? { ok: true, output: JsonText.of(output) } : failed(inexactAt(inexact))
}

function failed(failure: CallFailure): ParsedAnswer {
  return { ok: false, failure }
}

function tooManyValues(most: number): CallFailure {
  const message = `The endpoint gave an answer with more than ${most} values: return less, page by page.`
  return { message, transport: 'worked', name: 'tooManyValues' }
}

function inexactAt(path: string): CallFailure {
  const message = `The endpoint gave an answer that could not be used: “${path}” ${INEXACT_NUMBER}`
  return { message, transport: 'worked', name: 'inexactNumber' }
}

// Making a decoder costs as much as all else that is done with an answer.
const UTF_8 = new TextDecoder('utf-8', { fatal: true })

function decode(body: Uint8Array): string | null {
  try {
    return UTF_8.decode(body)
  } catch {
    return null
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failureIn(answer: JsonObject): CallFailure {
  const { data } = CapabilityAnswer.safeParse(answer)
  const { error } = data ?? {}
  if (error == null) return FAILURES.unusable
  return reported(typeof error === 'string' ? error : error.message)
}

// The owner's own words. NUL goes because no PostgreSQL text can hold it.
function reported(message: string): CallFailure {
  const words = message.replaceAll('\0', '').trim()
  return { message: words || 'The capability failed.', transport: 'worked' }
}
