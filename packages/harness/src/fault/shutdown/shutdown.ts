import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '../../support/random.ts'
import { atLeast, type Check, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { endedWithin } from '../../support/server.ts'
import { within } from '../../support/within.ts'
import { startCallCounter } from '../call-counter.ts'
import { type ModelPlay, startModelDouble } from '../model-double.ts'
import { playSlowly, speakTurn } from '../model-turn.ts'
import { readExecutions, runningAfter } from '../rows.ts'
import { openWorld, startWatched, type World } from '../world.ts'
import { judgeStops, type Stop } from './judge.ts'
import { BEGUN_MS, EXIT_MS, openStreams, STREAMS, type StreamPlan, sweptByNext } from './stopped-streams.ts'
import { stopWhileAway } from './while-away.ts'

const STOPS = 50
const IMPATIENT_STOPS = 3
/** One in so many stops meets streams that outlast the time they are given. */
const LONG_EVERY = 17

const USAGE = { inputTokens: 50, outputTokens: 20 }
const SPOKEN = speakTurn({ text: ['One ', 'two ', 'three ', 'four.'] }, USAGE)
const ASKED = speakTurn({ text: ['Let me see.'], toolCalls: [{ name: 'act' }] }, USAGE)
const ENDLESS = speakTurn({ text: Array.from({ length: 300 }, (_, index) => `word${index} `) }, USAGE)

/** A service that is told to stop while it streams. */
export const shutdown: Scenario = {
  name: 'shutdown',
  title: 'A service that is told to stop under 200 streams ends each with `done`, and is gone within 30 s',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const random = context.random.fork()
    const double = await startModelDouble((tag, index) => playOf(tag, index, random))
    context.onEnd(double.close)
    const endpoint = await startCallCounter({ afterMs: 150 })
    context.onEnd(endpoint.close)
    const options = {
      endpoint: endpoint.url,
      variables: { ...double.serverEnv, SVC_LIMIT_ENDPOINT_CALLS: String(STREAMS) },
    }
    const world = await openWorld(context, options)
    const stops = await stopAll(context, world)
    const found = judgeStops(stops)
    const checks = [...struck(stops, found.begun, found.interrupted), ...promises(found)]
    return context.engine === 'sqlite' ? checks : [...checks, ...(await stopWhileAway(context, options))]
  },
}

// Streams of one kind end in their own time, long ones never would.
function playOf(tag: string, index: number, random: Random): ModelPlay {
  if (tag.startsWith('long')) return playSlowly(ENDLESS, 400)
  const turn = index === 0 && random.chance(0.5) ? ASKED : SPOKEN
  return playSlowly(turn, random.int(50, 250))
}

async function stopAll(context: ScenarioContext, world: World): Promise<Stop[]> {
  const plans = plansOf(context)
  const stops: Stop[] = []
  let server = world.server
  for (const [index, plan] of plans.entries()) {
    if (index > 0) server = await startWatched(context, world.options)
    stops.push(await stopOnce(context, { ...world, server }, plan))
    if ((index + 1) % 10 === 0) context.say(`${index + 1} of ${plans.length} stops`)
  }
  return stops
}

interface Plan extends StreamPlan {
  isImpatient: boolean
  delayMs: number
}

function plansOf({ random, count }: ScenarioContext): Plan[] {
  const delayMs = () => random.int(0, 800)
  const patient = Array.from({ length: count(STOPS, 2) }, (_, index): Plan => {
    return {
      kind: index % LONG_EVERY === 1 ? 'long' : 'short',
      name: `s${index}`,
      isImpatient: false,
      delayMs: delayMs(),
    }
  })
  const impatient = Array.from({ length: count(IMPATIENT_STOPS) }, (_, index): Plan => {
    return { kind: 'long', name: `i${index}`, isImpatient: true, delayMs: delayMs() }
  })
  return [...patient, ...impatient]
}

async function stopOnce(context: ScenarioContext, world: World, plan: Plan): Promise<Stop> {
  const { server, store } = world
  const { streams, begun } = openStreams(world, plan, context.count(STREAMS, 20))
  await within(begun, BEGUN_MS, `streams of stop ${plan.name} to begin`)
  await pause(plan.delayMs)
  server.kill('SIGTERM')
  if (plan.isImpatient) {
    await pause(300)
    server.kill('SIGTERM')
  }
  // One that never ends is killed, and judged by that.
  const { end, tookMs: exitMs } = await endedWithin(server, EXIT_MS)
  const heard = await within(Promise.all(streams), EXIT_MS, `streams of stop ${plan.name} to end`)
  const stillRunning = plan.isImpatient ? await sweptByNext(context, world) : await runningAfter(store, 0)
  const rows = (await readExecutions(store)).filter(({ tag }) => tag.includes(`-${plan.name}-`))
  return { isImpatient: plan.isImpatient, exitMs, end, streams: heard, rows, stillRunning }
}

function struck(stops: readonly Stop[], begun: number, interrupted: number): Check[] {
  const patient = stops.filter(({ isImpatient }) => !isImpatient)
  const opened = patient.reduce((sum, { streams }) => sum + streams.length, 0)
  return [
    atLeast('stops', patient.length, 2),
    atLeast('streams that had begun when the signal came', (100 * begun) / opened, 99, '%'),
    atLeast('streams that the stop itself had to end', interrupted, 1),
  ]
}

function promises(found: ReturnType<typeof judgeStops>): Check[] {
  return [
    exactly('streams without `done`', found.withoutDone, 0),
    exactly('streams told otherwise than stored', found.untrue, 0),
    exactly('ends later than 30 s after the signal, or 1 s after a second one', found.slowExits, 0),
    exactly('exit codes other than 0, or 1 after a second signal', found.wrongExits, 0),
    exactly('executions left `running`', found.running, 0),
  ]
}
