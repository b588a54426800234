import { setTimeout as pause } from 'node:timers/promises'
import { type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { forEachAtOnce } from '../at-once.ts'
import { type Effect, startCallCounter } from '../call-counter.ts'
import { groupBy } from '../group-by.ts'
import { type ModelDouble, startModelDouble } from '../model-double.ts'
import { playWhole } from '../model-turn.ts'
import { type ExecutionRow, readExecutions, readTotals, runningAfter } from '../rows.ts'
import { createExecuteCallers } from '../streams.ts'
import { openWorld, type World } from '../world.ts'
import { askingTurn, bytesCut, LAST_TURN, type ModelCase, modelCases } from './cases.ts'
import { BREACHES, type Breach, judgeModelFaults, type ModelHistory } from './judge.ts'

// Long enough for two repeats of a refused request, which come after two and after four seconds.
const MODEL_MS = 12_000
// What bounds an execution whose model’s time is not kept: far more than any case may take.
const EXECUTION_MS = 60_000
const AT_ONCE = 64
const EXAMPLES_SHOWN = 5
const WARM_UP = 16
const WARM = 'warm'

/** A model that refuses, stalls, breaks off at any byte or talks nonsense. */
export const modelFaults: Scenario = {
  name: 'model-faults',
  title: 'Whatever the model does, no half answer counts as one, no half message acts, and tokens seen are metered',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const cases = modelCases(context.random.fork(), (full) => context.count(full))
    const byTag = new Map(cases.map((each) => [each.tag, each]))
    const double = await startModelDouble((tag, index) =>
      tag.startsWith(WARM) ? playWhole(LAST_TURN) : playOf(byTag.get(tag), index),
    )
    context.onEnd(double.close)
    const endpoint = await startCallCounter()
    context.onEnd(endpoint.close)
    const world = await openWorld(context, {
      endpoint: endpoint.url,
      variables: {
        ...double.serverEnv,
        SVC_LIMIT_MODEL_MS: String(MODEL_MS),
        SVC_LIMIT_EXECUTION_MS: String(EXECUTION_MS),
      },
    })
    await warmUp(world)
    const heard = await meet(context, world, cases)
    await untilClosed(double)
    const histories = await gather(world, { heard, double, effects: endpoint.effects })
    const breaches = judgeModelFaults(histories, { modelMs: MODEL_MS })
    for (const { text } of breaches.slice(0, EXAMPLES_SHOWN)) context.say(text)
    return [...struck(context, cases, double), ...checksOf(breaches), ...(await usageChecks(world))]
  },
}

function playOf(found: ModelCase | undefined, index: number) {
  if (!found) throw new Error('the model was asked by an execution that nobody began')
  return found.plays[index] ?? found.plays.at(-1) ?? found.plays[0]
}

// The first calls of a process take far longer than all later ones.
async function warmUp(world: World): Promise<void> {
  const callers = createExecuteCallers(world.server.url)
  const tags = Array.from({ length: WARM_UP }, (_, index) => `${WARM}${index}`)
  await forEachAtOnce(tags, 4, async (tag) => {
    await callers.execute({ key: world.runtimes[0].publicKey, tag, isStream: true })
  })
  await callers.close()
}

type Heard = Pick<ModelHistory, 'case' | 'heard' | 'heardAt'>

async function meet(context: ScenarioContext, world: World, cases: readonly ModelCase[]): Promise<Heard[]> {
  const callers = createExecuteCallers(world.server.url)
  context.onEnd(callers.close)
  const met: Heard[] = []
  await forEachAtOnce(cases, AT_ONCE, async (each, index) => {
    const { tag, isStream } = each
    const { publicKey } = world.runtimes[index % world.runtimes.length] ?? world.runtimes[0]
    const heard = await callers.execute({ key: publicKey, tag, isStream })
    met.push({ case: each, heard, heardAt: performance.now() })
    if (met.length % 500 === 0) context.say(`${met.length} of ${cases.length} executions`)
  })
  return met
}

// A connection is closed a moment after the execution that used it.
async function untilClosed(double: ModelDouble): Promise<void> {
  for (let tries = 0; tries < 20 && double.exchanges.some(({ closedAt }) => closedAt === null); tries += 1) {
    await pause(100)
  }
}

async function gather(
  world: World,
  seen: { heard: readonly Heard[]; double: ModelDouble; effects: readonly Effect[] },
): Promise<ModelHistory[]> {
  await runningAfter(world.store, 5_000)
  const rows = new Map((await readExecutions(world.store)).map((row) => [row.tag, row]))
  const exchanges = groupBy(seen.double.exchanges, ({ tag }) => tag)
  const effects = groupBy(seen.effects, ({ executionId }) => executionId)
  return seen.heard.map((each) => {
    const row = rows.get(each.case.tag)
    return {
      ...each,
      row,
      exchanges: exchanges.get(each.case.tag) ?? [],
      effects: effects.get(row?.executionId ?? '') ?? [],
    }
  })
}

function struck(context: ScenarioContext, cases: readonly ModelCase[], double: ModelDouble): Check[] {
  const asked = new Set(double.exchanges.map(({ tag }) => tag))
  return [
    exactly('faults that struck, of all that were to', cases.filter(({ tag }) => asked.has(tag)).length, cases.length),
    exactly('bytes of the message at which it was cut', bytesCut(cases, asked), context.count(askingTurn().finishedAt)),
  ]
}

function checksOf(breaches: readonly Breach[]): Check[] {
  return Object.entries(BREACHES).map(([kind, what]) =>
    exactly(what, breaches.filter((breach) => breach.kind === kind).length, 0),
  )
}

async function usageChecks(world: World): Promise<Check[]> {
  const totals = await readTotals(world.server.url, world.owner)
  const rows = await readExecutions(world.store)
  const sum = (of: (row: ExecutionRow) => number) => rows.reduce((total, row) => total + of(row), 0)
  return [
    exactly(
      'tokens in, as the owner is shown',
      totals.inputTokens,
      sum(({ inputTokens }) => inputTokens),
    ),
    exactly(
      'tokens out, as the owner is shown',
      totals.outputTokens,
      sum(({ outputTokens }) => outputTokens),
    ),
    exactly('executions, as the owner is shown', totals.executions, rows.length),
  ]
}
