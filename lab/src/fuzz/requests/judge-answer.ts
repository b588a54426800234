import { CapabilityFailure, ErrorBody } from '@svc/contract'
import { z } from 'zod'
import { parsed } from '../../support/client.ts'
import { headerOf, type RawAnswer, type RawReply } from './raw.ts'

/**
 * How a route answers: the API's in its envelope; one that sends files, too, where it refuses; the operators' port in
 * plain text, without a request id; MCP in errors of JSON-RPC.
 */
export type AnswerFormat = 'envelope' | 'files' | 'plain' | 'json-rpc'

export interface Asked {
  /** A capability may have been called, whose failure has a body of its own. */
  mayFailAsCapability: boolean
  /** The bytes were broken so badly that the connection may close without an answer. */
  mayCloseUnanswered: boolean
  isHead: boolean
  format: AnswerFormat
  /** Texts of this installation that no answer may hold, such as its folder. */
  insides: readonly string[]
  /** Texts that no refusal or failure may hold, such as an endpoint's address. */
  ownersInsides: readonly string[]
}

export const FAULTS = {
  'server-error': 'answers with a fault of the server’s (5xx)',
  envelope: 'answers that are not in the envelope',
  internals: 'answers that tell of internals',
  injected: 'answers with a header of the caller’s',
  unanswered: 'requests without an answer',
} as const

/** A header that a value with line ends in it would add where it got out of its place. */
export const INJECTED = 'x-injected'

export interface AnswerFault {
  kind: keyof typeof FAULTS
  problem: string
}

/** The envelope and nothing beside it, at either level. */
const StrictErrorBody = z.strictObject({ error: ErrorBody.shape.error.strict() })
const RpcError = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullish(),
  error: z.strictObject({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
})
const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/
const INTERNALS =
  /\bat \S+ \(|node_modules|\.[jt]s:\d|\/(?:home|work|tmp|usr|root)\/|select .* from|insert into|sqlite|postgres|constraint|\bE(?:CONN|NOENT|PIPE|ADDR|HOST)|(?:Type|Range|Syntax|Reference)Error|undefined is not|Cannot read|svc\.db/i

/** The fault of an answer; null where it has none. */
export function faultOf(reply: RawReply, asked: Asked): AnswerFault | null {
  if (reply.kind === 'nonsense') return { kind: 'envelope', problem: reply.problem }
  if (reply.kind === 'closed' && asked.mayCloseUnanswered) return null
  if (reply.kind !== 'answer') return { kind: 'unanswered', problem: reply.kind }
  const { answer } = reply
  const { status } = answer
  const fault = faultOfHead(answer, asked)
  if (fault) return fault
  if (status === 502 && asked.mayFailAsCapability) return faultOfFailure(answer, asked)
  if (status >= 500) return { kind: 'server-error', problem: `${status}: ${answer.body.slice(0, 300)}` }
  if (asked.isHead) return null
  if (status < 400) return faultOfServed(answer, asked)
  return asked.format === 'plain' ? leakInWords(answer, [answer.body], asked) : faultOfRefusal(answer, asked)
}

function faultOfHead(answer: RawAnswer, { format }: Asked): AnswerFault | null {
  const id = headerOf(answer, 'x-request-id') ?? ''
  if (answer.headers.has(INJECTED)) return { kind: 'injected', problem: `it has a header ${INJECTED}` }
  return format === 'plain' || REQUEST_ID.test(id) ? null : { kind: 'envelope', problem: `x-request-id is “${id}”` }
}

// A file of scripts names the errors of its language, and numbers for operators the parts of the service.
function faultOfServed({ status, body }: RawAnswer, { format, insides }: Asked): AnswerFault | null {
  const leaks = ((format === 'envelope' || format === 'json-rpc') && INTERNALS.test(body)) || holdsAny(body, insides)
  return leaks ? leakOf(status, body) : null
}

function faultOfFailure(answer: RawAnswer, asked: Asked): AnswerFault | null {
  const read = CapabilityFailure.strict().safeParse(parsed(answer.body))
  if (!read.success) return { kind: 'envelope', problem: `502 with ${answer.body.slice(0, 300)}` }
  return leakInWords(answer, [read.data.error.message], asked)
}

function faultOfRefusal(answer: RawAnswer, asked: Asked): AnswerFault | null {
  const { status, body } = answer
  if (asked.format === 'json-rpc') {
    // Broken requests, and addresses of no route, are refused in the envelope.
    const error = RpcError.safeParse(parsed(body))
    if (error.success) return leakInWords(answer, [JSON.stringify(error.data.error)], asked)
  }
  const read = StrictErrorBody.safeParse(parsed(body))
  const type = headerOf(answer, 'content-type') ?? ''
  if (!read.success || !type.startsWith('application/json'))
    return { kind: 'envelope', problem: `${status} ${type} with ${body.slice(0, 300)}` }
  const { message, details } = read.data.error
  return leakInWords(answer, [message, ...Object.values(details?.fieldErrors ?? {}).flat()], asked)
}

// Quotes in the service's own words are a caller's.
function leakInWords({ status }: RawAnswer, texts: readonly string[], { insides, ownersInsides }: Asked) {
  const unquoted = (text: string) => text.replace(/“[^”]*”|"[^"]*"/g, '')
  const nowhere = [...insides, ...ownersInsides]
  const leak = texts.find((text) => INTERNALS.test(unquoted(text)) || holdsAny(text, nowhere))
  return leak === undefined ? null : leakOf(status, leak)
}

function leakOf(status: number, text: string): AnswerFault {
  const from = Math.max(0, text.search(INTERNALS) - 100)
  return { kind: 'internals', problem: `${status} says ${text.slice(from, from + 300)}` }
}

function holdsAny(text: string, parts: readonly string[]): boolean {
  return parts.some((part) => text.includes(part))
}
