import { setTimeout as pause } from 'node:timers/promises'
import { type PostgresCluster, startPostgresCluster } from '../../support/postgres-cluster.ts'
import { atLeast, type Check, exactly, type ScenarioContext } from '../../support/scenario.ts'
import { endedWithin } from '../../support/server.ts'
import { createPostgresStore } from '../../support/store.ts'
import { within } from '../../support/within.ts'
import { readExecutions } from '../rows.ts'
import { openWorld, startWatched, type World, type WorldWish } from '../world.ts'
import { type AwayStop, judgeAwayStops } from './judge.ts'
import { BEGUN_MS, EXIT_MS, openStreams, STREAMS, type StreamPlan, sweptByNext } from './stopped-streams.ts'

const STOPS = 4

interface Plan extends StreamPlan {
  /** Before the signal, or after it: the database goes. */
  isDatabaseFirst: boolean
  betweenMs: number
}

/** Stops servers under streams whose PostgreSQL is away by then, and comes back only once they have ended. */
export async function stopWhileAway(context: ScenarioContext, wish: Omit<WorldWish, 'store'>): Promise<Check[]> {
  const database = await startPostgresCluster()
  context.onEnd(() => database.remove())
  const world = await openWorld(context, { ...wish, store: await createPostgresStore(database.url) })
  const stops: AwayStop[] = []
  let { server } = world
  for (let index = 0; index < context.count(STOPS, 2); index += 1) {
    if (index > 0) server = await startWatched(context, world.options)
    stops.push(await stopOnce(context, { ...world, server }, { database, plan: drawPlan(context, index) }))
    context.say(`${index + 1} stops while the database was away`)
  }
  const found = judgeAwayStops(stops)
  return [
    atLeast('database away: streams that had begun when the signal came', found.begun, stops.length * 20),
    atLeast('database away: streams told that their outcome could not be recorded', found.unrecorded, 1),
    exactly('database away: streams without `done`, but for commits that were never answered', found.withoutDone, 0),
    exactly('database away: streams told otherwise than stored in the end', found.untrue, 0),
    exactly('database away: ends later than 30 s after the signal', found.slowExits, 0),
    exactly('database away: ends by a signal, or by a fault', found.wrongExits, 0),
    exactly('database away: executions left `running` by the next server', found.running, 0),
  ]
}

// Every second time the streams would outlast what they are given.
function drawPlan({ random }: ScenarioContext, index: number): Plan {
  return {
    kind: index % 2 === 1 ? 'long' : 'short',
    name: `a${index}`,
    isDatabaseFirst: index % 4 < 2,
    betweenMs: random.int(0, 1_000),
  }
}

interface Away {
  database: PostgresCluster
  plan: Plan
}

async function stopOnce(context: ScenarioContext, world: World, { database, plan }: Away): Promise<AwayStop> {
  const { server, store } = world
  const { streams, begun } = openStreams(world, plan, context.count(STREAMS, 20))
  await within(begun, BEGUN_MS, `streams of stop ${plan.name} to begin`)
  const ended = plan.isDatabaseFirst
    ? database
        .stop('immediate')
        .then(() => pause(plan.betweenMs))
        .then(() => tell(world))
    : tellAndTakeAway(world, database, plan.betweenMs)
  const { end, tookMs: exitMs } = await ended
  const heard = await within(Promise.all(streams), EXIT_MS, `streams of stop ${plan.name} to end`)
  server.kill()
  await database.start()
  const stillRunning = await sweptByNext(context, world)
  const rows = (await readExecutions(store)).filter(({ tag }) => tag.includes(`-${plan.name}-`))
  return { exitMs, end, streams: heard, rows, stillRunning, unansweredCommits: unansweredCommits(end.stderr) }
}

function tell({ server }: World) {
  server.kill('SIGTERM')
  return endedWithin(server, EXIT_MS)
}

async function tellAndTakeAway(world: World, database: PostgresCluster, afterMs: number) {
  const ended = tell(world)
  await pause(afterMs)
  await database.stop('immediate')
  return ended
}

/** Outcomes of which the service says itself that it never learned whether they were written. */
function unansweredCommits(log: string): number {
  return log
    .split('\n')
    .filter((line) => line.includes('an outcome could not be written') && line.includes('CommitUnknownError')).length
}
