import { setTimeout as pause } from 'node:timers/promises'
import { atLeast, type Check, counted, exactly, type ScenarioContext } from '../../support/scenario.ts'
import { endedWithin, type ServerProcess } from '../../support/server.ts'
import type { Store } from '../../support/store.ts'
import { within } from '../../support/within.ts'
import { openRelayedStore, type RelayedStore } from '../relayed-store.ts'
import { readExecutions } from '../rows.ts'
import { openWorld, startWatched, type World, type WorldWish } from '../world.ts'
import { type AwayStop, judgeAwayStops } from './judge.ts'
import { BEGUN_MS, EXIT_MS, endOrderly, openStreams, STREAMS, type StreamPlan, sweptByNext } from './stopped-streams.ts'
import { unansweredCommits } from './unanswered-commits.ts'

const STOPS = 4

/** A way in which the database goes, and comes back. */
interface Outage {
  name: 'stopped' | 'silent'
  /** How servers reach the database that goes. */
  store: Store
  begin(): Promise<void>
  end(): Promise<void>
}

interface Plan extends StreamPlan {
  /** Before the signal, or after it: the database goes. */
  isDatabaseFirst: boolean
  betweenMs: number
}

/** Stops servers under streams whose PostgreSQL is away by then, and comes back only once they have ended. */
export async function stopWhileAway(context: ScenarioContext, wish: Omit<WorldWish, 'store'>): Promise<Check[]> {
  const relayed = await openRelayedStore(context)
  const world = await openWorld(context, { ...wish, store: relayed.direct })
  await endOrderly(world.server)
  const checks: Check[] = []
  for (const outage of outagesOf(relayed)) {
    const stops: AwayStop[] = []
    for (let index = 0; index < context.count(STOPS, 2); index += 1) {
      stops.push(await stopOnce(context, world, { outage, plan: drawPlan(context, outage, index) }))
      context.say(`${index + 1} stops while the database was ${outage.name}`)
    }
    checks.push(...promises(`database ${outage.name}`, stops))
  }
  return checks
}

/** One that is stopped refuses its connections; one that is silent takes them, and nothing that is sent arrives. */
function outagesOf({ cluster, relay, direct, relayed }: RelayedStore): Outage[] {
  return [
    { name: 'stopped', store: direct, begin: () => cluster.stop('immediate'), end: () => cluster.start() },
    { name: 'silent', store: relayed, begin: () => relay.breakBy('hang'), end: () => relay.mend() },
  ]
}

function promises(during: string, stops: readonly AwayStop[]): Check[] {
  const found = judgeAwayStops(stops)
  return [
    atLeast(`${during}: streams that had begun when the signal came`, found.begun, stops.length * 20),
    atLeast(`${during}: streams told that their outcome could not be recorded`, found.unrecorded, 1),
    counted(`${during}: streams that ended without a word, their commit never answered`, found.inDoubt),
    exactly(`${during}: other streams without \`done\``, found.withoutDone, 0),
    exactly(`${during}: streams told otherwise than stored in the end`, found.untrue, 0),
    exactly(`${during}: ends later than 30 s after the signal`, found.slowExits, 0),
    exactly(`${during}: ends by a signal, or by a fault`, found.wrongExits, 0),
    exactly(`${during}: executions left \`running\` by the next server`, found.running, 0),
  ]
}

// Every second time the streams would outlast what they are given.
function drawPlan({ random }: ScenarioContext, { name }: Outage, index: number): Plan {
  return {
    kind: index % 2 === 1 ? 'long' : 'short',
    name: `${name}${index}`,
    isDatabaseFirst: index % 4 < 2,
    betweenMs: random.int(0, 1_000),
  }
}

interface Away {
  outage: Outage
  plan: Plan
}

async function stopOnce(context: ScenarioContext, world: World, { outage, plan }: Away): Promise<AwayStop> {
  const server = await startWatched(context, { ...world.options, store: outage.store })
  const { streams, begun } = openStreams({ ...world, server }, plan, context.count(STREAMS, 20))
  await within(begun, BEGUN_MS, `streams of stop ${plan.name} to begin`)
  const { end, tookMs: exitMs } = await (plan.isDatabaseFirst ? takeAwayAndTell : tellAndTakeAway)(server, outage, plan)
  const heard = await within(Promise.all(streams), EXIT_MS, `streams of stop ${plan.name} to end`)
  await outage.end()
  const stillRunning = await sweptByNext(context, world)
  const rows = (await readExecutions(world.store)).filter(({ tag }) => tag.includes(`-${plan.name}-`))
  return { exitMs, end, streams: heard, rows, stillRunning, unansweredCommits: unansweredCommits(end.stderr) }
}

type Ended = ReturnType<typeof endedWithin>

async function takeAwayAndTell(server: ServerProcess, outage: Outage, { betweenMs }: Plan): Ended {
  await outage.begin()
  await pause(betweenMs)
  return tell(server)
}

async function tellAndTakeAway(server: ServerProcess, outage: Outage, { betweenMs }: Plan): Ended {
  const ended = tell(server)
  await pause(betweenMs)
  await outage.begin()
  return ended
}

function tell(server: ServerProcess): Ended {
  server.kill('SIGTERM')
  return endedWithin(server, EXIT_MS)
}
