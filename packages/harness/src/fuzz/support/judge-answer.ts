import { CapabilityFailure, ErrorBody } from '@svc/contract'
import { z } from 'zod'
import type { RawHeard } from './raw-connection.ts'
import { headerOf, type RawAnswer } from './raw-http.ts'

/**
 * How a route answers: the API's in its envelope; one that sends files, too, where it refuses; the operators' port in
 * words of its own, without a request id.
 */
export type Manner = 'envelope' | 'files' | 'plain'

/** What was asked, as far as a judgement of the answer needs it. */
export interface Asked {
  /** Whether a capability may have been called, whose failure has a body of its own. */
  mayFailAsCapability: boolean
  /** Whether the bytes were broken so badly that a connection closed without a word will do. */
  mayCloseUnanswered: boolean
  isHead: boolean
  manner: Manner
  /** Texts of this installation that no answer may hold, such as its folder. */
  insides: readonly string[]
  /** Texts that no refusal or failure may hold, though their owner may read them, such as an endpoint's address. */
  ownersInsides: readonly string[]
}

export type FaultKind = 'server-error' | 'envelope' | 'internals' | 'unanswered'

export interface AnswerFault {
  kind: FaultKind
  problem: string
}

/** The envelope and nothing beside it, at either level. */
const StrictErrorBody = z.strictObject({ error: ErrorBody.shape.error.strict() })

const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/
const INTERNALS =
  /\bat \S+ \(|node_modules|\.[jt]s:\d|\/(?:home|work|tmp|usr|root)\/|select .* from|insert into|sqlite|postgres|constraint|\bE(?:CONN|NOENT|PIPE|ADDR|HOST)|(?:Type|Range|Syntax|Reference)Error|undefined is not|Cannot read|svc\.db/i

/** What is wrong with an answer, whatever was asked; null when nothing is. */
export function faultOf(heard: RawHeard, asked: Asked): AnswerFault | null {
  if (heard.kind === 'nonsense') return { kind: 'envelope', problem: heard.problem }
  if (heard.kind === 'answer') return faultOfAnswer(heard.answer, asked)
  if (heard.kind === 'closed' && asked.mayCloseUnanswered) return null
  return { kind: 'unanswered', problem: heard.kind === 'closed' ? 'closed without an answer' : 'no answer in time' }
}

function faultOfAnswer(answer: RawAnswer, asked: Asked): AnswerFault | null {
  if (asked.manner === 'plain') return faultOfPlain(answer, asked)
  const id = headerOf(answer, 'x-request-id')
  if (id === undefined || !REQUEST_ID.test(id)) return { kind: 'envelope', problem: `x-request-id is ${id}` }
  if (answer.status === 502 && asked.mayFailAsCapability) {
    return faultOfFailure(answer, asked)
  }
  if (answer.status >= 500) return serverError(answer)
  if (asked.isHead) return null
  return answer.status < 400 ? faultOfServed(answer, asked) : faultOfRefusal(answer, asked)
}

function serverError({ status, body }: RawAnswer): AnswerFault {
  return { kind: 'server-error', problem: `${status}: ${body.slice(0, 300)}` }
}

// A file of scripts names the errors of its language, and numbers for operators the parts of the service.
function faultOfServed(answer: RawAnswer, { manner, insides }: Asked): AnswerFault | null {
  const leaks = (manner === 'envelope' && INTERNALS.test(answer.body)) || holdsAny(answer.body, insides)
  return leaks ? leakOf(answer, answer.body) : null
}

function faultOfPlain(answer: RawAnswer, asked: Asked): AnswerFault | null {
  if (answer.status >= 500) return serverError(answer)
  return answer.status < 400 ? faultOfServed(answer, asked) : leakInWords(answer, [answer.body], asked)
}

function faultOfFailure(answer: RawAnswer, asked: Asked): AnswerFault | null {
  const read = CapabilityFailure.strict().safeParse(parsed(answer.body))
  if (!read.success) return { kind: 'envelope', problem: `502 with ${answer.body.slice(0, 300)}` }
  return leakInWords(answer, [read.data.error.message], asked)
}

function faultOfRefusal(answer: RawAnswer, asked: Asked): AnswerFault | null {
  const { status, body } = answer
  const read = StrictErrorBody.safeParse(parsed(body))
  const type = headerOf(answer, 'content-type') ?? ''
  if (!read.success || !type.startsWith('application/json')) {
    return { kind: 'envelope', problem: `${status} ${type} with ${body.slice(0, 300)}` }
  }
  const { message, details } = read.data.error
  const texts = [message, ...Object.values(details?.fieldErrors ?? {}).flat()]
  return leakInWords(answer, texts, asked)
}

/** Words of the service’s own: quotes in them are a caller’s, but for what may stand nowhere. */
function leakInWords(answer: RawAnswer, texts: readonly string[], { insides, ownersInsides }: Asked) {
  const nowhere = [...insides, ...ownersInsides]
  const leak = texts.find((text) => INTERNALS.test(withoutQuotes(text)) || holdsAny(text, nowhere))
  return leak === undefined ? null : leakOf(answer, leak)
}

function leakOf({ status }: RawAnswer, text: string): AnswerFault {
  return { kind: 'internals', problem: `${status} says ${excerptOf(text)}` }
}

function holdsAny(text: string, parts: readonly string[]): boolean {
  return parts.some((part) => text.includes(part))
}

/** A long text from shortly before what gave it away. */
function excerptOf(text: string): string {
  const at = Math.max(0, text.search(INTERNALS) - 100)
  return text.slice(at, at + 300)
}

/** What a caller sent may be repeated in quotes, and is no text of ours. Each pair alone: what stands between two is. */
function withoutQuotes(text: string): string {
  return text.replace(/“[^”]*”|"[^"]*"/g, '')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
