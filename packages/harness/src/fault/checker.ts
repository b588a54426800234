import { type Check, exactly } from '../support/scenario.ts'
import type { Effect } from './effect-log.ts'
import { groupBy } from './group-by.ts'
import type { Operation, Told } from './history.ts'
import { type Pause, pausesFor } from './paused-calls.ts'
import { TOKENS_A_TURN, turnsOf } from './planned-model.ts'

/** A row of `executions`, as far as it is judged. */
export interface ExecutionRow {
  executionId: string
  ownerId: string
  /** The operation that its metadata names. */
  op: number
  kind: 'execute' | 'capability' | 'broker'
  status: 'running' | 'completed' | 'failed'
  nodeId: string | null
  tokens: number
  callCount: number
}

export interface CallRow {
  callId: string
  executionId: string
  status: 'dispatched' | 'completed' | 'failed'
  /** Why it failed, as its owner is told. */
  error: string | null
}

/** What one account has used, by its buckets and by what the API says of it. */
export interface Ledger {
  ownerId: string
  /** Units drawn from each bucket. Not whole where the bucket was ever full again, or was charged by halves. */
  drawn: { executions: number; anonymous: number }
  usage: { executions: number; completed: number; failed: number; capabilityCalls: number; totalTokens: number }
}

/** A time in which what was asked of a node may fail: it was killed or stopped, or its database was. Epoch milliseconds. */
export interface Disturbance {
  nodeId: string
  from: number
  to: number
}

/** Everything that is known of a run once it is quiet again. */
export interface Evidence {
  operations: readonly Operation[]
  executions: readonly ExecutionRow[]
  calls: readonly CallRow[]
  /** By call id. */
  effects: ReadonlyMap<string, Effect>
  /** Model requests by operation. */
  modelRequests: ReadonlyMap<number, number>
  ledgers: readonly Ledger[]
  disturbances: readonly Disturbance[]
}

/** What must hold after any fault, and what is counted where it does not. */
export const LAWS = {
  acknowledged: 'acknowledged executions lost or contradicted',
  admitted: 'executions that nobody asked for, or that were refused',
  answered: 'operations that a living server left without an answer, or refused for no cause',
  running: 'executions still running in the quiet',
  living: 'executions failed without a cause',
  effects: 'calls with more than one effect',
  written: 'effects of calls that were not written down',
  calls: 'calls without an outcome, or with one they did not have',
  allowance: 'differences between allowances and executions',
  usage: 'differences between usage and executions',
  metering: 'completed executions with other tokens than the model’s',
  served: 'completed executions without the calls that were asked for',
} as const satisfies Record<string, string>

export type Law = keyof typeof LAWS

export interface Breach {
  law: Law
  /** An id and what is wrong with it, for whoever looks into it. */
  what: string
}

/** Every breach of every law. A pure function of the evidence. */
export function judge(evidence: Evidence): Breach[] {
  const book = toBook(evidence)
  return [
    ...evidence.operations.flatMap((operation) => judgeOperation(operation, book)),
    ...evidence.executions.flatMap((row) => judgeExecution(row, book)),
    ...[...evidence.effects.values()].flatMap((effect) => judgeEffect(effect, book)),
    ...evidence.calls.flatMap((call) => judgeCall(call, book)),
    ...evidence.ledgers.flatMap((ledger) => judgeLedger(ledger, evidence.executions)),
  ]
}

const EXAMPLES = 3

/** One check for each law. */
export function lawChecks(breaches: readonly Breach[]): Check[] {
  return (Object.keys(LAWS) as Law[]).map((law) => checkOf(law, breaches))
}

function checkOf(law: Law, breaches: readonly Breach[]): Check {
  const found = breaches.filter((breach) => breach.law === law).map(({ what }) => what)
  const check = exactly(LAWS[law], found.length, 0)
  if (found.length === 0) return check
  return { ...check, measured: `${found.length}: ${found.slice(0, EXAMPLES).join('; ')}` }
}

type Refused = Extract<Told, { as: 'refused' }>

interface Book extends Evidence {
  operationsById: ReadonlyMap<number, Operation>
  executionsById: ReadonlyMap<string, ExecutionRow>
  rowsByOp: ReadonlyMap<number, readonly ExecutionRow[]>
  callsById: ReadonlyMap<string, CallRow>
  callsByExecution: ReadonlyMap<string, readonly CallRow[]>
  /** When a server had reason to pause its calls to an endpoint, by {@link laneOf}. */
  pauses: ReadonlyMap<string, readonly Pause[]>
}

function toBook(evidence: Evidence): Book {
  const operationsById = new Map(evidence.operations.map((operation) => [operation.plan.op, operation]))
  return {
    ...evidence,
    operationsById,
    pauses: readPauses(evidence, operationsById),
    executionsById: new Map(evidence.executions.map((row) => [row.executionId, row])),
    rowsByOp: groupBy(evidence.executions, ({ op }) => op),
    callsById: new Map(evidence.calls.map((call) => [call.callId, call])),
    callsByExecution: groupBy(evidence.calls, ({ executionId }) => executionId),
  }
}

/** A server's own view of one runtime's endpoint: each process has one, and no other knows of it. */
function laneOf({ nodeId, plan }: Operation): string {
  return `${nodeId} ${plan.runtime}`
}

function readPauses({ effects }: Evidence, operations: ReadonlyMap<number, Operation>): Book['pauses'] {
  const seen = [...effects.values()].flatMap(({ op, at, endedAt, wasReset }) => {
    const operation = operations.get(op)
    return operation && endedAt !== null ? [{ lane: laneOf(operation), at, endedAt, wasReset }] : []
  })
  const byLane = groupBy(seen, ({ lane }) => lane)
  return new Map([...byLane].map(([lane, calls]) => [lane, pausesFor(calls)]))
}

function judgeOperation(operation: Operation, book: Book): Breach[] {
  const { plan, told } = operation
  const rows = book.rowsByOp.get(plan.op) ?? []
  if (rows.length > 1) return [{ law: 'admitted', what: `operation ${plan.op} has ${rows.length} executions` }]
  if (told.as === 'unknown') {
    return wasDisturbed(operation, book) ? [] : [{ law: 'answered', what: `operation ${plan.op}: ${told.reason}` }]
  }
  if (told.as === 'refused') {
    return [...judgeRefusal(plan.op, told), ...rows.map((row) => refusedAndAdmitted(row, told))]
  }
  const row = book.executionsById.get(told.executionId)
  if (!row || row.op !== plan.op) return [{ law: 'acknowledged', what: `${told.executionId} is not stored` }]
  if (row.status !== told.as) {
    return [{ law: 'acknowledged', what: `${row.executionId} was told ${told.as} and is ${row.status}` }]
  }
  const hasOtherTokens = told.as === 'completed' && told.tokens !== null && told.tokens !== row.tokens
  return hasOtherTokens ? [{ law: 'metering', what: `${row.executionId} was told other tokens than are stored` }] : []
}

/** Each request is allowed and in form: it may be too much (429), or the database may be away (500, nothing was done). */
const MAY_REFUSE: readonly number[] = [429, 500]

function judgeRefusal(op: number, { status, reason }: Refused): Breach[] {
  if (MAY_REFUSE.includes(status)) return []
  return [{ law: 'answered', what: `operation ${op} was refused with ${status}: ${reason}` }]
}

function refusedAndAdmitted({ executionId }: ExecutionRow, { status }: Refused): Breach {
  return { law: 'admitted', what: `${executionId} was refused with ${status}` }
}

function judgeExecution(row: ExecutionRow, book: Book): Breach[] {
  const { executionId, status } = row
  const operation = book.operationsById.get(row.op)
  if (!operation) return [{ law: 'admitted', what: `${executionId} belongs to no operation` }]
  if (status === 'running') return [{ law: 'running', what: `${executionId} of node ${row.nodeId}` }]
  if (status === 'failed') {
    return hasCause(executionId, operation, book) ? [] : [{ law: 'living', what: `${executionId}: ${told(operation)}` }]
  }
  return [...judgeServed(row, operation, book), ...(row.kind === 'execute' ? judgeTokens(row, operation, book) : [])]
}

function judgeTokens({ executionId, op, tokens }: ExecutionRow, { plan }: Operation, book: Book): Breach[] {
  const turns = turnsOf(plan)
  const isMetered = tokens === turns * TOKENS_A_TURN && book.modelRequests.get(op) === turns
  return isMetered ? [] : [{ law: 'metering', what: `${executionId} has ${tokens} tokens for ${turns} turns` }]
}

/** Each call that was asked for is written down and counted, and failed only where it was reset after its effect, or paused. */
function judgeServed({ executionId, callCount }: ExecutionRow, operation: Operation, book: Book): Breach[] {
  const { calls: asked, isReset } = operation.plan
  const calls = book.callsByExecution.get(executionId) ?? []
  if (calls.length !== asked || callCount !== asked) {
    const what = `${executionId} has ${calls.length} calls stored and ${callCount} counted for ${asked}`
    return [{ law: 'served', what }]
  }
  const failed = calls
    .filter(({ callId, status }) => status === 'failed' && !(isReset && book.effects.has(callId)))
    .filter((call) => !wasPaused(call, operation, book))
  if (failed.length === 0 || wasDisturbed(operation, book)) return []
  return [{ law: 'served', what: `${executionId} completed with ${failed.length} calls failed for no cause` }]
}

function hasCause(executionId: string, operation: Operation, book: Book): boolean {
  const { doorway, isReset } = operation.plan
  if (wasDisturbed(operation, book)) return true
  if (doorway !== 'broker') return false
  const calls = book.callsByExecution.get(executionId) ?? []
  return isReset || calls.some((call) => wasPaused(call, operation, book))
}

const PAUSED = 'The endpoint is not answering; calls to it are paused for a moment.'

/** Whether a call was rightly kept back: its endpoint had reset so many of this server's calls that it has to be spared. */
function wasPaused({ callId, error }: CallRow, operation: Operation, { effects, pauses }: Book): boolean {
  if (error !== PAUSED || effects.has(callId)) return false
  const { invokedAt, endedAt } = operation
  return (pauses.get(laneOf(operation)) ?? []).some(({ from, to }) => endedAt >= from && invokedAt <= to)
}

/** Whether what was asked might fail: its server, or that server's database, was broken while it was asked for. */
export function wasDisturbed(
  { nodeId, invokedAt, endedAt }: Operation,
  { disturbances }: Pick<Evidence, 'disturbances'>,
): boolean {
  return disturbances.some((time) => time.nodeId === nodeId && endedAt >= time.from && invokedAt <= time.to)
}

function told({ told }: Operation): string {
  return 'reason' in told ? `told ${told.as}, ${told.reason}` : `told ${told.as}`
}

function judgeEffect({ callId, count }: Effect, book: Book): Breach[] {
  const repeated: Breach[] = count > 1 ? [{ law: 'effects', what: `${callId} had ${count}` }] : []
  const unwritten: Breach[] = book.callsById.has(callId) ? [] : [{ law: 'written', what: callId }]
  return [...repeated, ...unwritten]
}

function judgeCall({ callId, executionId, status }: CallRow, book: Book): Breach[] {
  const isOver = book.executionsById.get(executionId)?.status !== 'running'
  if (status === 'dispatched') return isOver ? [{ law: 'calls', what: `${callId} of ${executionId} is open` }] : []
  const hadNone = status === 'completed' && !book.effects.has(callId)
  return hadNone ? [{ law: 'calls', what: `${callId} is completed and never reached the endpoint` }] : []
}

function judgeLedger({ ownerId, drawn, usage }: Ledger, executions: readonly ExecutionRow[]): Breach[] {
  const own = executions.filter((row) => row.ownerId === ownerId)
  const over = own.filter(({ status }) => status !== 'running')
  const admitted = { executions: own.length, anonymous: own.filter(({ kind }) => kind === 'broker').length }
  const stored: Ledger['usage'] = {
    executions: over.length,
    completed: over.filter(({ status }) => status === 'completed').length,
    failed: over.filter(({ status }) => status === 'failed').length,
    capabilityCalls: over.reduce((sum, { callCount }) => sum + callCount, 0),
    totalTokens: over.reduce((sum, { tokens }) => sum + tokens, 0),
  }
  return [
    ...differences(drawn, admitted).map((what) => ({ law: 'allowance', what: `${ownerId}: ${what}` }) as const),
    ...differences(usage, stored).map((what) => ({ law: 'usage', what: `${ownerId}: ${what}` }) as const),
  ]
}

function differences<T extends Record<string, number>>(counted: T, stored: T): string[] {
  return Object.keys(stored)
    .filter((name) => counted[name] !== stored[name])
    .map((name) => `${name} ${counted[name]} for ${stored[name]} stored`)
}
