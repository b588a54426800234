import { type Check, exactly, none, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { groupBy, sum } from '../support/statistics.ts'
import { forEachAtOnce, until } from '../support/within.ts'
import { type CalledWorld, openCalledWorld } from '../support/world.ts'
import {
  createExecuteCallers,
  type Effect,
  type HeardExecution,
  type ModelExchange,
  playWhole,
  startCallCounter,
  startModelDouble,
} from './doubles.ts'
import { LAST_TURN, type ModelCase, modelCases } from './model-cases.ts'
import { readExecutions, readTotals, runningAfter, type StoredExecution } from './rows.ts'

// Long enough for two repeats of a refused request, which come after two and after four seconds.
const MODEL_MS = 12_000
// Far more than any case may take.
const EXECUTION_MS = 60_000
const SLACK_MS = 5_000
const AT_ONCE = 64
const WARM = 'warm'

export const modelFaults: Scenario = {
  name: 'model-faults',
  title: 'With a failing model no half answer counts as one, no half message acts, and tokens seen are metered',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const cases = modelCases(context.random.fork(), (full) => context.count(full))
    const byTag = new Map(cases.map((each) => [each.tag, each]))
    const double = await startModelDouble(context, (tag, index) => {
      const plays = byTag.get(tag)?.plays
      return plays?.[index] ?? plays?.at(-1) ?? playWhole(LAST_TURN)
    })
    const endpoint = await startCallCounter(context)
    const limits = { SVC_LIMIT_MODEL_MS: String(MODEL_MS), SVC_LIMIT_EXECUTION_MS: String(EXECUTION_MS) }
    const variables = { ...double.serverEnv, ...limits }
    const world = await openCalledWorld(context, { endpoint: endpoint.url, variables })
    const heard = await meet(context, world, cases)
    // A connection is closed a moment after the execution that used it.
    await until(() => double.exchanges.every(({ closedAt }) => closedAt !== null), 2_000)
    await runningAfter(world.store, 5_000)
    const rows = await readExecutions(world.store)
    const rowOf = new Map(rows.map((row) => [row.tag, row]))
    const exchanges = groupBy(double.exchanges, ({ tag }) => tag)
    const effects = groupBy(endpoint.effects, ({ executionId }) => executionId)
    const histories = heard.map((each) => {
      const row = rowOf.get(each.case.tag)
      const own = { exchanges: exchanges.get(each.case.tag) ?? [], effects: effects.get(row?.executionId ?? '') ?? [] }
      return { ...each, row, ...own }
    })
    const totals = await readTotals(world.server.url, world.owner)
    return [
      exactly('faults that struck', cases.filter(({ tag }) => exchanges.has(tag)).length, cases.length),
      ...judgeModelFaults(histories),
      exactly('tokens in, as the owner is shown', totals.inputTokens, sum(rows.map((row) => row.inputTokens))),
      exactly('tokens out, as the owner is shown', totals.outputTokens, sum(rows.map((row) => row.outputTokens))),
      exactly('executions, as the owner is shown', totals.executions, rows.length),
    ]
  },
}

/** The end of one case. Times of `performance.now()`. */
export interface ModelHistory {
  case: ModelCase
  heard: HeardExecution
  heardAt: number
  row: StoredExecution | undefined
  exchanges: readonly ModelExchange[]
  effects: readonly Effect[]
}

type Heard = Pick<ModelHistory, 'case' | 'heard' | 'heardAt'>

async function meet(context: ScenarioContext, { server, runtimes }: CalledWorld, cases: readonly ModelCase[]) {
  const execute = createExecuteCallers(context, server.url)
  const [{ publicKey: key }] = runtimes
  // The first calls of a process take far longer than all later ones.
  for (let index = 0; index < 16; index += 1) await execute({ key, tag: `${WARM}${index}`, isStream: true })
  const met: Heard[] = []
  await forEachAtOnce(cases, AT_ONCE, async (each, index) => {
    const { tag, isStream } = each
    const runtime = runtimes[index % runtimes.length]
    const heard = await execute({ key: runtime?.publicKey ?? key, tag, isStream })
    met.push({ case: each, heard, heardAt: performance.now() })
    if (met.length % 500 === 0) context.say(`${met.length} of ${cases.length} executions`)
  })
  return met
}

const BREACHES = {
  unanswered: 'callers without an answer, or without `done`',
  untrue: 'answers that differ from what is stored',
  status: 'executions that ended otherwise than they must',
  effects: 'capability calls of an unfinished message, or repeated ones',
  tokens: 'executions whose tokens seen were not metered',
  asked: 'models asked again once they had begun, or too often',
  late: 'executions still under way five seconds after the model’s time was up',
  open: 'model connections held past the end of their execution',
} as const

export function judgeModelFaults(histories: readonly ModelHistory[]): Check[] {
  const all = histories.map((history) => ({ history, holds: promisesOf(history) }))
  return (Object.keys(BREACHES) as (keyof typeof BREACHES)[]).map((kind) =>
    none(
      BREACHES[kind],
      all.filter(({ holds }) => !holds[kind]).map(({ history }) => describe(history)),
    ),
  )
}

function promisesOf({ heard, row, exchanges, effects, heardAt, case: given }: ModelHistory) {
  const { expected, plays } = given
  const { told } = heard
  const [least, most] = expected.requests
  const tookMs = heardAt - (exchanges[0]?.arrivedAt ?? heardAt)
  const isSame = (other: { inputTokens: number; outputTokens: number }) =>
    row?.inputTokens === other.inputTokens && row.outputTokens === other.outputTokens
  return {
    unanswered: told !== null && !heard.hasMore && heard.brokenBy === null,
    untrue: told === null || (row?.executionId === told.executionId && row.status === told.status && isSame(told)),
    status: row?.status === expected.status,
    effects:
      effects.length === expected.effects && new Set(effects.map(({ callId }) => callId)).size === effects.length,
    tokens: isSame(expected.tokens),
    asked: exchanges.length >= least && exchanges.length <= most,
    late: tookMs <= MODEL_MS * Math.min(plays.length, exchanges.length) + SLACK_MS,
    open: exchanges.every(({ closedAt }) => closedAt !== null),
  }
}

function describe({ case: { fault, tag }, row, effects, exchanges, heard }: ModelHistory): string {
  const stored = `${row?.status} ${row?.inputTokens}/${row?.outputTokens}`
  return `${fault} (${tag}): heard ${heard.status}, stored ${stored}, ${effects.length} effects, asked ${exchanges.length} times`
}
