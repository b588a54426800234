import { createClient } from '../support/client.ts'
import { playWhole, startModelDouble } from '../support/model-double.ts'
import { allHold, type Check, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { startCallCounter } from '../support/serving.ts'
import { forEachAtOnce, until } from '../support/within.ts'
import { type CalledWorld, openCalledWorld } from '../support/world.ts'
import { execute, type HeardExecution } from './executes.ts'
import { LAST_TURN, type ModelCase, modelCases } from './model-cases.ts'
import { checkTotals, type History, readHistories, runningAfter } from './rows.ts'

// Long enough for two repeats of a refused request, which come after two and after four seconds.
const MODEL_MS = 12_000
// Far more than any case may take.
const EXECUTION_MS = 60_000
const SLACK_MS = 5_000
const AT_ONCE = 64

export const modelFaults: Scenario = {
  name: 'model-faults',
  title: 'With a failing model no half answer counts as one, no half message acts, and tokens seen are metered',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const cases = modelCases(context.random.fork(), (full) => context.count(full))
    const byTag = new Map(cases.map((each) => [each.tag, each]))
    const double = await startModelDouble(context, ({ tag, index }) => {
      const plays = byTag.get(tag)?.plays
      return plays?.[index] ?? plays?.at(-1) ?? playWhole(LAST_TURN)
    })
    const endpoint = await startCallCounter(context)
    const limits = { SVC_LIMIT_MODEL_MS: String(MODEL_MS), SVC_LIMIT_EXECUTION_MS: String(EXECUTION_MS) }
    const world = await openCalledWorld(context, {
      endpoint: endpoint.url,
      variables: { ...double.variables, ...limits },
    })
    const heard = await meet(context, world, cases)
    // A connection is closed a moment after the execution that used it.
    await until(() => double.exchanges.every(({ closedAt }) => closedAt !== null), 2_000)
    await runningAfter(world.store, 5_000)
    const historyOf = await readHistories(world.store, { ...double, ...endpoint })
    const histories = heard.map((each) => ({ ...each, ...historyOf(each.case.tag) }))
    return [
      exactly('faults that struck', histories.filter(({ exchanges }) => exchanges.length > 0).length, cases.length),
      ...judgeModelFaults(histories),
      ...(await checkTotals(world)),
    ]
  },
}

/** The end of one case. Times of `performance.now()`. */
interface ModelHistory extends History {
  case: ModelCase
  heard: HeardExecution
  heardAt: number
}

type Met = Pick<ModelHistory, 'case' | 'heard' | 'heardAt'>

async function meet(context: ScenarioContext, { server, runtimes }: CalledWorld, cases: readonly ModelCase[]) {
  const client = createClient(server.url, null)
  // The first calls of a process take far longer than all later ones.
  const key = runtimes[0].publicKey
  for (let index = 0; index < 16; index += 1) await execute(client, { key, tag: `warm${index}`, isStream: true })
  const met: Met[] = []
  await forEachAtOnce(cases, AT_ONCE, async (each, index) => {
    const { tag, isStream } = each
    const heard = await execute(client, { key: runtimes[index % runtimes.length]?.publicKey, tag, isStream })
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

function judgeModelFaults(histories: readonly ModelHistory[]): Check[] {
  return allHold(BREACHES, histories, { holds: promisesOf, describe })
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
