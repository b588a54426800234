import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '../../support/client.ts'
import {
  atLeast,
  atMost,
  type Check,
  counted,
  exactly,
  type Scenario,
  type ScenarioContext,
  withFindings,
} from '../../support/scenario.ts'
import { rounded } from '../../support/statistics.ts'
import { startModelDouble } from '../model-double.ts'
import { playWhole, speakTurn } from '../model-turn.ts'
import { runningAfter } from '../rows.ts'
import { addRuntime, openWorld } from '../world.ts'
import { ENDPOINT_FAULTS, type EndpointFault, type EndpointWay, GOOD_WAYS, isFault } from './faults.ts'
import { DOORS, type Door, type EndpointFindings, judgeEndpointFaults, type Round } from './judge.ts'
import { CALLS_PER_RUNTIME, machineMs, playRound, type Stage } from './play-round.ts'
import { startThreads } from './threads.ts'

const CALLS_AT_ONCE = 200
const DEADLINE_MS = 3_000
// What bounds a call whose own limit is not kept.
const EXECUTION_MS = 15_000
const PROBE_EVERY_MS = 50
/** How long the other tenant is alone at first: as many of its calls as a p99 takes. */
const IDLE_MS = 15_000
const IDLE_AT_LEAST_MS = 5_000
/** After so many rounds of faults, one of a well-behaved endpoint under the same load. */
const BASELINE_EVERY = 3
const BASELINE = GOOD_WAYS.flatMap((way) => DOORS.map((door) => ({ way, door })))
const MEMORY_GROWTH_MB = 150
const LATE_S = DEADLINE_MS / 1_000 + 1
const P99_FACTOR = 2
const IDLE_PROBES = 50
const MB = 1024 * 1024

const USAGE = { inputTokens: 20, outputTokens: 5 }
const ASKING = speakTurn({ toolCalls: [{ name: 'act' }] }, USAGE)
const DONE = speakTurn({ text: 'Done.' }, USAGE)

/** Endpoints that misbehave, two hundred calls at once, beside a tenant whose endpoint does not. */
export const endpointFaults: Scenario = {
  name: 'endpoint-faults',
  title: 'Whatever an endpoint does, its calls end in time and in form, and other tenants do not feel it',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const double = await startModelDouble((_, index) => playWhole(index === 0 ? ASKING : DONE))
    context.onEnd(double.close)
    const threads = await startThreads(context)
    const count = context.count(CALLS_AT_ONCE, CALLS_PER_RUNTIME)
    const world = await openWorld(context, {
      endpoint: threads.badUrl,
      runtimeCount: Math.ceil(count / CALLS_PER_RUNTIME),
      variables: {
        ...double.serverEnv,
        SVC_LIMIT_DISPATCH_MS: String(DEADLINE_MS),
        SVC_LIMIT_EXECUTION_MS: String(EXECUTION_MS),
      },
    })
    const tenant = await addRuntime(world.server.url, world.owner, threads.tenantUrl)
    const client = createClient(world.server.url, count)
    context.onEnd(client.close)
    const stage: Stage = { world, threads, client, count }
    for (const round of BASELINE) await playRound(stage, { ...round, name: 'warm' })
    const path = `/v1/capabilities/${tenant.runtimeId}/act`
    threads.startProbing({ url: world.server.url, path, everyMs: PROBE_EVERY_MS })
    const idle = await stayIdle(context.count(IDLE_MS, IDLE_AT_LEAST_MS))
    const rounds = await playAll(context, stage)
    const found = judgeEndpointFaults(rounds, await threads.probes(), { deadlineMs: DEADLINE_MS, idle })
    for (const example of found.misshapen.examples) context.say(example)
    const stillRunning = await runningAfter(world.store, 10_000)
    const targetHits = (await threads.hits()).get('/target/0') ?? 0
    return checksOf(found, { stillRunning, targetHits, faults: rounds.filter(({ way }) => isFault(way)).length })
  },
}

async function stayIdle(ms: number): Promise<Pick<Round, 'startedAt' | 'endedAt'>> {
  const startedAt = machineMs()
  await pause(ms)
  return { startedAt, endedAt: machineMs() }
}

async function playAll(context: ScenarioContext, stage: Stage): Promise<Round[]> {
  const rounds: Round[] = []
  for (const [index, { way, door }] of planOf(context).entries()) {
    rounds.push(await playRound(stage, { way, door, name: `r${index}` }))
    if (index % 20 === 19) context.say(`${index + 1} rounds`)
  }
  return rounds
}

// Faults in a drawn order, and between them rounds to compare with, so that both meet the machine at its best and worst.
function planOf({ random }: ScenarioContext): { way: EndpointWay; door: Door }[] {
  const names = Object.keys(ENDPOINT_FAULTS).filter((name): name is EndpointFault => isFault(name))
  const faults = names.flatMap((way) => DOORS.map((door) => ({ way, door, key: random.next() })))
  faults.sort((a, b) => a.key - b.key)
  return faults.flatMap(({ way, door }, index) => {
    const round = { way, door }
    const baseline = BASELINE[Math.floor(index / BASELINE_EVERY) % BASELINE.length]
    return index % BASELINE_EVERY === 0 && baseline ? [baseline, round] : [round]
  })
}

function checksOf(
  found: EndpointFindings,
  { stillRunning, targetHits, faults }: { stillRunning: number; targetHits: number; faults: number },
): Check[] {
  const { faultP99Ms, baselineP99Ms, idleP99Ms } = found
  const overMs = (check: Check, ms: number) => withFindings(check, [`${rounded(faultP99Ms)} ms over ${rounded(ms)} ms`])
  return [
    exactly('rounds of faults, each through one doorway', faults, Object.keys(ENDPOINT_FAULTS).length * DOORS.length),
    atLeast('calls that met their fault', (100 * found.struck) / found.calls, 99, '%'),
    exactly('answers that are not the promised one', found.misshapen.count, 0),
    exactly('calls that took longer than the limit and a second', found.late, 0),
    atMost('slowest call', found.slowestMs / 1000, LATE_S, 's'),
    exactly('calls that took longer, besides the median of good calls', found.lateBesides, 0),
    atMost('slowest call, besides the median of good calls', found.slowestBesidesMs / 1000, LATE_S, 's'),
    exactly('calls that failed at a well-behaved endpoint', found.failedGoodCalls, 0),
    exactly('requests at the address of the redirect', targetHits, 0),
    atMost('memory beyond that of well-behaved rounds', found.memoryGrowthBytes / MB, MEMORY_GROWTH_MB, 'MB'),
    counted('calls of the other tenant', found.probeCount),
    exactly('calls of the other tenant that failed', found.failedProbes, 0),
    overMs(
      atMost('its p99 against rounds of well-behaved endpoints', faultP99Ms / baselineP99Ms, P99_FACTOR, '×'),
      baselineP99Ms,
    ),
    atLeast('calls of the other tenant while nobody else called', found.idleProbeCount, IDLE_PROBES),
    overMs(atMost('its p99 against an idle server', faultP99Ms / idleP99Ms, P99_FACTOR, '×'), idleP99Ms),
    exactly('executions left `running`', stillRunning, 0),
  ]
}
