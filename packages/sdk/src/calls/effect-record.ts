import type { JsonObject } from '@svc/contract'
import { isJsonObject } from '@svc/contract'
import type { FailureCode } from '../errors.ts'
import { MAX_MESSAGE_LENGTH } from './failure-message.ts'

/** How a recorded call ended. `never`: it was not begun when the service asked, and must not begin any more. */
export type RecordedOutcome =
  | { readonly status: 'completed'; readonly outputJson: string }
  | { readonly status: 'failed'; readonly code: FailureCode; readonly message: string }
  | { readonly status: 'never' }

/** The record of a call. Its outcome is null from its begin to its end, and for good where its process ended in between. */
export interface EffectRecord {
  readonly capability: string
  /** SHA-256 of what was asked for, in hex: tells a repeated call from another one of the same id. */
  readonly request: string
  /** Milliseconds since the epoch. */
  readonly begunAt: number
  readonly outcome: RecordedOutcome | null
}

/** A record as text. An output of more than `maxAnswerBytes` is kept as `{truncated, bytes}`: that it completed is kept always. */
export function writeRecord({ outcome, ...begun }: EffectRecord, maxAnswerBytes: number): string {
  const head = JSON.stringify(begun).slice(0, -1)
  if (outcome?.status !== 'completed') return `${head},"outcome":${JSON.stringify(outcome)}}`
  const bytes = new TextEncoder().encode(outcome.outputJson).length
  const output = bytes <= maxAnswerBytes ? outcome.outputJson : JSON.stringify({ truncated: true, bytes })
  return `${head},"outcome":{"status":"completed","output":${output}}}`
}

/** The record that was written as a text. Throws a `TypeError` for any other text. */
export function readRecord(text: string): EffectRecord {
  const record: unknown = JSON.parse(text)
  if (isJsonObject(record)) {
    const { capability, request, begunAt } = record
    const outcome = outcomeOf(record['outcome'])
    if (
      typeof capability === 'string' &&
      typeof request === 'string' &&
      typeof begunAt === 'number' &&
      outcome !== false
    ) {
      return { capability, request, begunAt, outcome }
    }
  }
  throw new TypeError('The effect store answered with a record that it was not given.')
}

function outcomeOf(outcome: unknown): RecordedOutcome | null | false {
  if (outcome === null) return null
  if (!isJsonObject(outcome)) return false
  if (outcome['status'] === 'never') return { status: 'never' }
  if (outcome['status'] === 'failed') return failureOf(outcome)
  if (outcome['status'] !== 'completed' || !('output' in outcome)) return false
  return { status: 'completed', outputJson: JSON.stringify(outcome['output']) }
}

function failureOf({ code, message }: JsonObject): RecordedOutcome | false {
  if (typeof code !== 'string' || typeof message !== 'string') return false
  return { status: 'failed', code: code as FailureCode, message: message.slice(0, MAX_MESSAGE_LENGTH) }
}
