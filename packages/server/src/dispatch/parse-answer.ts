import { CapabilityAnswer } from '@svc/contract'
import { nestsDeeperThan } from '../json-scan.ts'
import { type CallFailure, FAILURES } from './failures.ts'

/** An answer that was understood: the capability's output, or the failure that it reported itself. */
export type ParsedAnswer = { ok: true; output: unknown } | { ok: false; failure: CallFailure }

const OUTPUT_DEPTH = 32

/** Reads the body of a 200. Its depth is bounded before anything recursive sees it. */
export function parseAnswer(body: Uint8Array): ParsedAnswer {
  const text = decode(body)
  if (text === null) return { ok: false, failure: FAILURES.unusable }
  if (nestsDeeperThan(text, OUTPUT_DEPTH + 1)) return { ok: false, failure: FAILURES.tooDeep }
  const answer = CapabilityAnswer.safeParse(parseJson(text))
  if (!answer.success) return { ok: false, failure: FAILURES.unusable }
  const { output, error } = answer.data
  if (error != null) return { ok: false, failure: reported(typeof error === 'string' ? error : error.message) }
  return { ok: true, output }
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

// The owner's own words. NUL goes because no PostgreSQL text can hold it.
function reported(message: string): CallFailure {
  const words = message.replaceAll('\0', '').trim()
  return { message: words || 'The capability failed.', transport: 'worked' }
}
