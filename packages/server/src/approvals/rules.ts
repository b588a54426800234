import {
  type ApprovalStatus,
  ApprovedOutcome,
  type JsonObject,
  PREVIEW_LIMITS,
  Preview,
  ToolResultPart,
  type TracedApproval,
} from '@svc/contract'
import { z } from 'zod'
import { isoTime, isoTimeOrNull } from '../lib/clock.ts'
import { TRUNCATED } from '../usage/truncated.js'

/** Approvals that one execution may ask for: a person reads each of them. */
export const APPROVALS_PER_EXECUTION = 10

/** Results of calls that did not run, or of which nobody knows. They are told to the model. */
export const RESULTS = {
  waits: 'Not run yet: a person has to approve this call first. Its result follows once somebody has decided.',
  declined: 'A person declined this call. It was not run.',
  expired: 'Nobody approved this call in time. It was not run.',
  moved: 'The runtime’s endpoint has changed since a person was asked. The call was not run: make it again.',
  tooMany: `The call was not made: an execution may ask for ${APPROVALS_PER_EXECUTION} approvals.`,
  holdsToken: 'The call was not made: its input or metadata holds the end user’s token.',
  unwritable: 'The call was not made: its input or metadata holds text that is not whole Unicode.',
  full: 'The call was not made: too many calls of this account wait for approval. Try again in some minutes.',
} as const

/** The stored input of an approval that has ended, JSON text. */
export const NO_INPUT = TRUNCATED

/** What a person approves, as it is stored. Times are epoch milliseconds. */
export interface ApprovalTerms {
  approval_id: string
  owner_id: string
  runtime_id: string
  execution_id: string
  call_id: string
  capability: string
  deployment_version: number
  endpoint: string
  input_hash: string
  preview_hash: string
  token_hash: string | null
  expires_at: number
}

/** The text whose keyed hash is stored as the proof. A key opens an approval whose terms are unchanged, and no other. */
export function proofText(key: string, terms: ApprovalTerms): string {
  return JSON.stringify([
    ...['approval', key, terms.approval_id, terms.owner_id, terms.runtime_id, terms.execution_id, terms.call_id],
    ...[terms.capability, terms.deployment_version, terms.endpoint, terms.input_hash, terms.preview_hash],
    ...[terms.token_hash, terms.expires_at],
  ])
}

/** Compared with where there is no approval, so that a wrong id takes as long as a wrong key. */
export const NO_APPROVAL = {
  approval_id: 'apr_0',
  owner_id: '',
  runtime_id: '',
  execution_id: '',
  call_id: '',
  capability: '',
  deployment_version: 0,
  endpoint: '',
  input_hash: '',
  preview_hash: '',
  token_hash: '0'.repeat(64),
  expires_at: 0,
  proof: '0'.repeat(64),
}

interface Lifetime {
  status: ApprovalStatus
  expires_at: number
}

/** Where an approval stands. A row stays `pending` after its time until it is swept. */
export function statusAt({ status, expires_at }: Lifetime, now: number): ApprovalStatus {
  return status === 'pending' && expires_at <= now ? 'expired' : status
}

interface StoredResult extends Lifetime {
  call_id: string
  capability: string
  /** JSON text, with the `outcome` of a call that was made. */
  result: string | null
}

/** What the model is to be told of the call; undefined while nothing is known. */
export function resultOf(row: StoredResult, now: number): ToolResultPart | undefined {
  if (row.result !== null) return ToolResultPart.parse(JSON.parse(row.result))
  const status = statusAt(row, now)
  return status === 'declined' || status === 'expired' ? notRun(row, RESULTS[status]) : undefined
}

const WithOutcome = z.object({ outcome: ApprovedOutcome.optional() })

/** How the approved call ended; undefined where it has not, and where it did not run. */
export function outcomeOf({ result }: Pick<StoredResult, 'result'>): ApprovedOutcome | undefined {
  return result === null ? undefined : WithOutcome.parse(JSON.parse(result)).outcome
}

export function notRun({ call_id, capability }: Pick<StoredResult, 'call_id' | 'capability'>, message: string) {
  return { type: 'tool_result' as const, toolCallId: call_id, name: capability, output: null, error: { message } }
}

interface TracedRow extends Lifetime {
  approval_id: string
  call_id: string
  capability: string
  /** JSON text. */
  preview: string
  created_at: number
  decided_at: number | null
}

export function tracedApproval(row: TracedRow, now: number): TracedApproval {
  return {
    approvalId: row.approval_id,
    callId: row.call_id,
    capability: row.capability,
    status: statusAt(row, now),
    preview: Preview.parse(JSON.parse(row.preview)),
    createdAt: isoTime(row.created_at),
    expiresAt: isoTime(row.expires_at),
    decidedAt: isoTimeOrNull(row.decided_at),
  }
}

/**
 * The preview of a capability that makes none: its description, and the fields of the input. Those that its schema names come
 * first: no number of others can push them out of sight.
 */
export function previewOfInput(
  { name, description, inputSchema }: { name: string; description: string; inputSchema: JsonObject | null },
  input: JsonObject,
): Preview {
  const { titleCharacters, lines: maxLines } = PREVIEW_LIMITS
  const declared = Object(inputSchema?.['properties'])
  const isDeclared = ([field]: [string, unknown]) => Object.hasOwn(declared, field)
  const given = Object.entries(input)
  const fields = [...given.filter(isDeclared), ...given.filter((entry) => !isDeclared(entry))].map(([field, value]) => {
    return plainLine(`${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  })
  const lines =
    fields.length <= maxLines
      ? fields
      : [...fields.slice(0, maxLines - 1), `… and ${fields.length - maxLines + 1} more fields`]
  const title = plainLine(description, titleCharacters)
  return { title: /\S/.test(title) ? title : name, ...(lines.length > 0 && { lines }) }
}

// Controls, and what turns the direction of text: a value must not look like a line of its own, or like another value.
const DECEIVING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** One line without control characters or marks that change the direction of text, cut where it is long. */
export function plainLine(text: string, maxCharacters: number = PREVIEW_LIMITS.lineCharacters): string {
  const plain = text.replace(/\s+/gu, ' ').replace(DECEIVING, '\ufffd')
  const cut = plain.length > maxCharacters ? `${plain.slice(0, maxCharacters - 1)}…` : plain
  return cut.replace(/\p{Surrogate}/gu, '\ufffd')
}
