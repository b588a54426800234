import { CapabilityFailure, ErrorBody } from '@svc/contract'
import { z } from 'zod'
import type { RawHeard } from './raw-connection.ts'
import { headerOf, type RawAnswer } from './raw-http.ts'

/** What was asked, as far as a judgement of the answer needs it. */
export interface Asked {
  /** Whether a capability may have been called, whose failure has a body of its own. */
  mayFailAsCapability: boolean
  /** Whether the bytes were broken so badly that a connection closed without a word will do. */
  mayCloseUnanswered: boolean
  isHead: boolean
  /** Texts of this installation that no answer may hold, such as its folder. */
  insides: readonly string[]
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
  const id = headerOf(answer, 'x-request-id')
  if (id === undefined || !REQUEST_ID.test(id)) return { kind: 'envelope', problem: `x-request-id is ${id}` }
  if (answer.status === 502 && asked.mayFailAsCapability) {
    return faultOfFailure(answer)
  }
  if (answer.status >= 500) return { kind: 'server-error', problem: `${answer.status}: ${answer.body.slice(0, 300)}` }
  if (answer.status < 400 || asked.isHead) return null
  return faultOfRefusal(answer, asked)
}

function faultOfFailure({ body }: RawAnswer): AnswerFault | null {
  const read = CapabilityFailure.strict().safeParse(parsed(body))
  return read.success ? null : { kind: 'envelope', problem: `502 with ${body.slice(0, 300)}` }
}

function faultOfRefusal(answer: RawAnswer, { insides }: Asked): AnswerFault | null {
  const { status, body } = answer
  const read = StrictErrorBody.safeParse(parsed(body))
  const type = headerOf(answer, 'content-type') ?? ''
  if (!read.success || !type.startsWith('application/json')) {
    return { kind: 'envelope', problem: `${status} ${type} with ${body.slice(0, 300)}` }
  }
  const { message, details } = read.data.error
  const texts = [message, ...Object.values(details?.fieldErrors ?? {}).flat()]
  const leak = texts.find(
    (text) => INTERNALS.test(withoutQuotes(text)) || insides.some((inside) => text.includes(inside)),
  )
  return leak === undefined ? null : { kind: 'internals', problem: `${status} says ${leak.slice(0, 300)}` }
}

/** What a caller sent may be repeated in quotes, and is no text of ours. */
function withoutQuotes(text: string): string {
  return text.replace(/“.*”|"[^"]*"/gs, '')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
