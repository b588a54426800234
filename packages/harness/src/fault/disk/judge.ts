import type { Effect } from '../call-counter.ts'
import type { CallRow, ExecutionRow } from '../rows.ts'

/** What a caller of the broker or of execute heard, and in which part of the run. */
export interface DiskAnswer {
  phase: 'before' | 'failing' | 'after'
  /** Null: the connection broke. */
  status: number | null
  text: string
  /** Null in answers that name none. */
  executionId: string | null
  /** Whether the answer says that the execution completed. */
  isCompleted: boolean
}

export interface DiskFindings {
  refusedWhileFailing: number
  /** Answers that are neither what the door answers nor an error in the envelope. */
  shapeless: number
  brokenOff: number
  /** Executions that a caller was told to have completed, and that are not stored so. */
  lost: number
  /** Executions that a caller was told to have failed, and that are stored as completed. */
  contradicted: number
  /** Executions that a caller was told to have failed, and that are not stored at all. */
  vanished: number
  /** Calls that reached the owner's code and are not stored. */
  unwritten: number
  repeated: number
  running: number
  failedAfter: number
}

const ENVELOPE = /^\{"error":\{"code":"(internal_error|rate_limit_exceeded)","message":"[^"]*"\}\}$/

export function judgeDisk(seen: {
  answers: readonly DiskAnswer[]
  rows: readonly ExecutionRow[]
  calls: readonly CallRow[]
  effects: readonly Effect[]
}): DiskFindings {
  const { answers, rows, calls, effects } = seen
  const stored = new Map(rows.map(({ executionId, status }) => [executionId, status]))
  const written = new Set(calls.map(({ callId }) => callId))
  const statusOf = ({ executionId }: DiskAnswer) => stored.get(executionId ?? '')
  const heard = answers.filter(({ status }) => status !== null)
  const toldFailed = answers.filter(({ executionId, isCompleted }) => executionId !== null && !isCompleted)
  const isEnveloped = ({ status, text }: DiskAnswer) => status !== null && status >= 429 && ENVELOPE.test(text)
  return {
    refusedWhileFailing: answers.filter(({ phase, isCompleted }) => phase === 'failing' && !isCompleted).length,
    shapeless: heard.filter((answer) => answer.executionId === null && !isEnveloped(answer)).length,
    brokenOff: answers.length - heard.length,
    lost: answers.filter((answer) => answer.isCompleted && statusOf(answer) !== 'completed').length,
    contradicted: toldFailed.filter((answer) => statusOf(answer) === 'completed').length,
    vanished: toldFailed.filter((answer) => statusOf(answer) === undefined).length,
    unwritten: effects.filter(({ callId }) => !written.has(callId)).length,
    repeated: effects.length - new Set(effects.map(({ callId }) => callId)).size,
    running: rows.filter(({ status }) => status === 'running').length,
    failedAfter: answers.filter(({ phase, isCompleted }) => phase === 'after' && !isCompleted).length,
  }
}
