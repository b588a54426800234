import { CapabilityFailure, CapabilityOutput, ErrorBody, ExecuteResponse, type Failure } from '@svc/contract'
import type { Heard } from '../support/client.ts'
import type { Doorway, Plan } from './plan.ts'

/** What a client was told of its operation. `unknown`: nothing that binds the service, so it may have happened or not. */
export type Told =
  | { as: 'completed'; executionId: string; tokens: number | null }
  | { as: 'failed'; executionId: string; reason: string }
  | { as: 'refused'; status: number; reason: string }
  | { as: 'unknown'; reason: string }

/** An operation that was asked for. */
export interface Invocation {
  plan: Plan
  /** The process that was asked. */
  nodeId: string
  /** Epoch milliseconds. */
  invokedAt: number
}

export interface Operation extends Invocation {
  /** Epoch milliseconds. */
  endedAt: number
  told: Told
}

/** What every client asked for and heard, in the order in which it was heard. */
export interface History {
  readonly operations: readonly Operation[]
  /** What was asked for, and not heard of yet. */
  readonly underWay: ReadonlySet<Invocation>
  /** Notes that an operation is asked for; what it returns notes what was heard. */
  invoke(plan: Plan, nodeId: string): (told: Told) => void
}

export function createHistory(now: () => number): History {
  const operations: Operation[] = []
  const underWay = new Set<Invocation>()
  return {
    operations,
    underWay,
    invoke(plan, nodeId) {
      const invocation = { plan, nodeId, invokedAt: now() }
      underWay.add(invocation)
      return (told) => {
        underWay.delete(invocation)
        operations.push({ ...invocation, endedAt: now(), told })
      }
    },
  }
}

/** What an answer binds the service to. A stream whose `done` arrived does so however its connection ended. */
export function toldBy(doorway: Doorway, heard: Heard): Told {
  if (heard.kind === 'broken') {
    const done = doorway === 'stream' ? doneOf(heard.partial) : null
    return done ? toldByExecution(done) : { as: 'unknown', reason: heard.reason }
  }
  if (doorway === 'broker' && (heard.status === 200 || heard.status === 502)) return toldByCall(heard.text)
  if (heard.status === 200) return toldByExecution(doorway === 'stream' ? doneOf(heard.text) : heard.text)
  const { error } = ErrorBody.parse(JSON.parse(heard.text))
  const isRefusal = heard.headers['retry-after'] !== undefined && error.message.includes('Nothing was done')
  if (heard.status >= 500 && !isRefusal) return { as: 'unknown', reason: error.message }
  return { as: 'refused', status: heard.status, reason: error.message }
}

function toldByExecution(text: string | null): Told {
  if (text === null) return { as: 'unknown', reason: 'the stream ended without “done”' }
  const { executionId, status, totalTokens, error } = ExecuteResponse.parse(JSON.parse(text))
  if (status === 'failed') return { as: 'failed', executionId, reason: messageOf(error) }
  return { as: 'completed', executionId, tokens: totalTokens }
}

function toldByCall(text: string): Told {
  const body: unknown = JSON.parse(text)
  const failure = CapabilityFailure.safeParse(body)
  if (failure.success)
    return { as: 'failed', executionId: failure.data.executionId, reason: messageOf(failure.data.error) }
  return { as: 'completed', executionId: CapabilityOutput.parse(body).executionId, tokens: null }
}

function messageOf(failure: Failure | undefined): string {
  return failure?.message ?? ''
}

const DONE = /(?:^|\n)event: done\ndata: (.*)\n\n/

function doneOf(stream: string): string | null {
  return DONE.exec(stream)?.[1] ?? null
}
