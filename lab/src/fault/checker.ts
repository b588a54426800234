import { type Check, none } from '../support/scenario.ts'
import { groupBy, sum } from '../support/statistics.ts'
import { type Operation, turnsOf } from './operations.ts'
import type { StoredCall, StoredExecution } from './rows.ts'

type ExecutionRow = Pick<StoredExecution, 'executionId' | 'ownerId' | 'op' | 'kind' | 'status' | 'tokens' | 'callCount'>

/** Units drawn from each bucket, and what the API says was used. */
export interface Ledger {
  ownerId: string
  drawn: { executions: number; anonymous: number }
  usage: { executions: number; completed: number; failed: number; capabilityCalls: number; totalTokens: number }
}

/** A period in which operations of a node may fail: the node or its database was killed or stopped. Epoch milliseconds. */
export interface Disturbance {
  nodeId: string
  from: number
  to: number
}

/** All data of a run after its load has ended. */
export interface Evidence {
  operations: readonly Operation[]
  executions: readonly ExecutionRow[]
  calls: readonly StoredCall[]
  /** How often a call had its effect, by call id. */
  effects: ReadonlyMap<string, number>
  /** Model requests by operation. */
  modelRequests: ReadonlyMap<number, number>
  ledgers: readonly Ledger[]
  disturbances: readonly Disturbance[]
}

/** Tokens that the model's double reports for each of its turns, in and out. */
export const TOKENS_A_TURN = 70

/** The invariants that must hold after any fault; the texts describe their violations. */
export const INVARIANTS = {
  acknowledged: 'acknowledged executions lost or contradicted',
  admitted: 'executions that nobody asked for, or that were refused',
  answered: 'operations that a living server left without an answer, or refused for no cause',
  running: 'executions still running in the quiet',
  living: 'executions failed without a cause',
  effects: 'calls with more than one effect',
  written: 'effects of calls that were not written down',
  calls: 'calls without an outcome, or with one they did not have',
  reconciled: 'unknown calls of which the endpoint’s log says something else',
  allowance: 'differences between allowances and executions',
  usage: 'differences between usage and executions',
  metering: 'completed executions with other tokens than the model’s',
  served: 'completed executions without the calls that were asked for',
} as const

export type Invariant = keyof typeof INVARIANTS

export interface Breach {
  of: Invariant
  text: string
}

/** All violations of the invariants. A pure function of the evidence. */
export function judge(evidence: Evidence): Breach[] {
  const { operations, executions, calls, effects, ledgers, disturbances } = evidence
  const operationsByOp = new Map(operations.map((operation) => [operation.plan.op, operation]))
  const rows = groupBy(executions, ({ op }) => op)
  const statuses = new Map(executions.map(({ executionId, status }) => [executionId, status]))
  const callsOf = groupBy(calls, ({ executionId }) => executionId)
  return [
    ...operations.flatMap((operation) => {
      return judgeOperation(operation, rows.get(operation.plan.op) ?? [], wasDisturbed(operation, disturbances))
    }),
    ...executions.flatMap((row) => {
      const operation = operationsByOp.get(row.op)
      if (!operation) return breach('admitted', `${row.executionId} belongs to no operation`)
      return judgeExecution(row, operation, evidence, callsOf.get(row.executionId) ?? [])
    }),
    ...judgeCalls(calls, effects, ({ executionId }) => statuses.get(executionId) !== 'running'),
    ...ledgers.flatMap((ledger) => judgeLedger(ledger, executions)),
  ]
}

/** Compares the stored calls with the endpoint's log of effects. */
export function judgeCalls(
  calls: readonly StoredCall[],
  effects: Evidence['effects'],
  isOver: (call: StoredCall) => boolean,
): Breach[] {
  const written = new Set(calls.map(({ callId }) => callId))
  return [
    ...[...effects].flatMap(([callId, count]) => [
      ...(count > 1 ? breach('effects', `${callId} had ${count}`) : []),
      ...(written.has(callId) ? [] : breach('written', callId)),
    ]),
    ...calls.flatMap((call) => judgeCall(call, isOver(call), effects.has(call.callId))),
  ]
}

function breach(of: Invariant, text: string): Breach[] {
  return [{ of, text }]
}

export const CALL_INVARIANTS = ['effects', 'written', 'calls', 'reconciled'] as const satisfies Invariant[]

export function invariantChecks(
  breaches: readonly Breach[],
  names: readonly Invariant[] = Object.keys(INVARIANTS) as Invariant[],
): Check[] {
  return names.map((name) =>
    none(
      INVARIANTS[name],
      breaches.filter(({ of }) => of === name).map(({ text }) => text),
    ),
  )
}

/** Each request is allowed and in form: it may be too much (429), or the database may be away (500, nothing was done). */
const MAY_REFUSE: readonly number[] = [429, 500]

function judgeOperation(
  { plan: { op }, outcome }: Operation,
  rows: readonly ExecutionRow[],
  isDisturbed: boolean,
): Breach[] {
  const [row] = rows
  if (rows.length > 1) return breach('admitted', `operation ${op} has ${rows.length} executions`)
  if (outcome.as === 'unknown') return isDisturbed ? [] : breach('answered', `operation ${op}: ${outcome.reason}`)
  if (outcome.as === 'refused') {
    const { status, reason } = outcome
    return [
      ...(MAY_REFUSE.includes(status)
        ? []
        : breach('answered', `operation ${op} was refused with ${status}: ${reason}`)),
      ...(row ? breach('admitted', `${row.executionId} was refused with ${status}`) : []),
    ]
  }
  if (row?.executionId !== outcome.executionId) return breach('acknowledged', `${outcome.executionId} is not stored`)
  if (row.status !== outcome.as)
    return breach('acknowledged', `${row.executionId} was answered ${outcome.as} and is ${row.status}`)
  const hasOtherTokens = outcome.as === 'completed' && outcome.tokens !== null && outcome.tokens !== row.tokens
  return hasOtherTokens ? breach('metering', `${row.executionId} was answered with other tokens than are stored`) : []
}

function judgeExecution(
  row: ExecutionRow,
  operation: Operation,
  evidence: Evidence,
  calls: readonly StoredCall[],
): Breach[] {
  const { executionId, status, kind, tokens, callCount } = row
  const { plan, outcome } = operation
  const isDisturbed = wasDisturbed(operation, evidence.disturbances)
  if (status === 'running') return breach('running', executionId)
  if (status === 'failed') {
    const hasCause = isDisturbed || (plan.route === 'broker' && plan.isReset)
    return hasCause ? [] : breach('living', `${executionId}: ${JSON.stringify(outcome)}`)
  }
  const turns = turnsOf(plan)
  const isMetered = tokens === turns * TOKENS_A_TURN && evidence.modelRequests.get(plan.op) === turns
  const failed = calls.filter(
    (call) => ['failed', 'unknown'].includes(call.status) && !(plan.isReset && evidence.effects.has(call.callId)),
  )
  const counts = `${calls.length} calls stored, ${callCount} counted, ${failed.length} failed for no cause`
  const isServed = calls.length === plan.calls && callCount === plan.calls && (failed.length === 0 || isDisturbed)
  return [
    ...(kind === 'execute' && !isMetered ? breach('metering', `${executionId}: ${tokens} tokens, ${turns} turns`) : []),
    ...(isServed ? [] : breach('served', `${executionId}: ${counts}, for ${plan.calls}`)),
  ]
}

/** Whether the server of an operation, or that server's database, was broken while it was asked for. */
export function wasDisturbed({ nodeId, invokedAt, endedAt }: Operation, disturbances: readonly Disturbance[]): boolean {
  return disturbances.some((time) => time.nodeId === nodeId && endedAt >= time.from && invokedAt <= time.to)
}

/** By the endpoint's own log: completed has happened, failed has not, and unknown turned out as what the log says. */
function judgeCall(call: StoredCall, isOver: boolean, hadEffect: boolean): Breach[] {
  const { callId, executionId, status, reconciled } = call
  if (status === 'dispatched') return isOver ? breach('calls', `${callId} of ${executionId} is open`) : []
  if (status === 'unknown') {
    const turnedOut = reconciled?.status ?? 'unknown'
    const isTrue = turnedOut === (hadEffect ? 'completed' : 'never')
    return isTrue ? [] : breach('reconciled', `${callId} had ${hadEffect ? 'its' : 'no'} effect, and is ${turnedOut}`)
  }
  if ((status === 'completed') === hadEffect) return []
  return breach('calls', `${callId} is ${status} and had ${hadEffect ? 'its' : 'no'} effect`)
}

/** Units that executions drew from the buckets of their owner. */
export function admittedOf(own: readonly Pick<ExecutionRow, 'kind'>[]): Ledger['drawn'] {
  return { executions: own.length, anonymous: own.filter(({ kind }) => kind === 'broker').length }
}

function judgeLedger({ ownerId, drawn, usage }: Ledger, executions: readonly ExecutionRow[]): Breach[] {
  const own = executions.filter((row) => row.ownerId === ownerId)
  const over = own.filter(({ status }) => status !== 'running')
  const stored: Ledger['usage'] = {
    executions: over.length,
    completed: over.filter(({ status }) => status === 'completed').length,
    failed: over.filter(({ status }) => status === 'failed').length,
    capabilityCalls: sum(over.map(({ callCount }) => callCount)),
    totalTokens: sum(over.map(({ tokens }) => tokens)),
  }
  return [...differences('allowance', ownerId, drawn, admittedOf(own)), ...differences('usage', ownerId, usage, stored)]
}

function differences<T extends Record<string, number>>(
  of: Invariant,
  ownerId: string,
  counted: T,
  stored: T,
): Breach[] {
  return Object.keys(stored)
    .filter((name) => counted[name] !== stored[name])
    .map((name) => ({ of, text: `${ownerId}: ${name} ${counted[name]} for ${stored[name]} stored` }))
}
