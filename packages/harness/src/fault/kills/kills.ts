import { setTimeout as pause } from 'node:timers/promises'
import {
  atLeast,
  atMost,
  type Check,
  counted,
  exactly,
  type Scenario,
  type ScenarioContext,
} from '../../support/scenario.ts'
import { createStore } from '../../support/store.ts'
import { brokenOffCheck, type Load, startLoad } from '../load.ts'
import { openSite, type Site } from '../site.ts'
import { createDeathWatch, type Death, type DeathWatch, longestClearing, shareOfHits } from './death-watch.ts'

const SQLITE_KILLS = 200
const POSTGRES_KILLS = 100
/** How many operations a server answers before it is killed, and how much longer it then lives, milliseconds. */
const ANSWERS = [1, 60] as const
const REST_MS = [0, 60] as const
const ANSWERS_WITHIN_MS = 30_000
const RESTARTED_MS = 5_000
const TAKEN_OVER_MS = 45_000
const INTEGRITY_EVERY = 10

/** Kills servers at random points under load. */
export const kills: Scenario = {
  name: 'kills',
  title: 'kill -9 under load: nothing acknowledged is lost, and what ran is ended',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const store = await createStore(context.engine, context.env)
    context.onEnd(() => store.remove())
    const isSqlite = context.engine === 'sqlite'
    const site = await openSite(context, { store, replicas: isSqlite ? 1 : 2, connections: 32 })
    const load = await startLoad(site, context.random.fork())
    const watch = createDeathWatch(store, Date.now)
    const run = { context, site, load, watch }
    return isSqlite ? killAlone(run) : killOneOfTwo(run)
  },
}

interface Run {
  context: ScenarioContext
  site: Site
  load: Load
  watch: DeathWatch
}

async function killAlone(run: Run): Promise<Check[]> {
  const { context, site, load, watch } = run
  const count = context.count(SQLITE_KILLS)
  let unsound = 0
  for (let kill = 1; kill <= count; kill += 1) {
    const death = await killOne(run, kill, count)
    await restart(run, death)
    if (kill % INTEGRITY_EVERY === 0 || kill === count) unsound += (await isSound(site)) ? 0 : 1
  }
  const checks = await load.judge(RESTARTED_MS)
  return [
    counted('kills', watch.deaths.length),
    atLeast('share of kills that hit running executions', shareOfHits(watch.deaths), 0.9),
    ...checks,
    atMost(
      'until a restarted server had ended them, from its spawn, longest',
      longestClearing(watch.deaths),
      RESTARTED_MS,
      'ms',
    ),
    exactly('integrity checks that found damage', unsound, 0),
    brokenOffCheck(load),
    ...load.checks(count),
  ]
}

// From the spawn on: a server that starts slowly leaves what ran as slowly.
async function restart({ site, watch }: Run, death: Death): Promise<void> {
  death.since = Date.now()
  await Promise.all([site.fleet.start(), watch.settle(RESTARTED_MS * 2)])
  await watch.look()
}

async function killOneOfTwo(run: Run): Promise<Check[]> {
  const { context, site, load, watch } = run
  const count = context.count(POSTGRES_KILLS)
  for (let kill = 1; kill <= count; kill += 1) {
    await killOne(run, kill, count)
    await site.fleet.start()
    await watch.look()
  }
  // The load goes on, so that living executions could be hit by mistake.
  await watch.settle(TAKEN_OVER_MS)
  const checks = await load.judge(TAKEN_OVER_MS)
  return [
    counted('kills', watch.deaths.length),
    atLeast('share of kills that hit running executions', shareOfHits(watch.deaths), 0.9),
    ...checks,
    atMost('until the other server had ended them, longest', longestClearing(watch.deaths), TAKEN_OVER_MS, 'ms'),
    brokenOffCheck(load),
    ...load.checks(count),
  ]
}

async function killOne({ context, site, load, watch }: Run, kill: number, count: number) {
  const [first, ...rest] = site.fleet.live
  if (!first) throw new Error('no server is left to kill')
  const victim = context.random.pick([first, ...rest])
  await load.answered(victim.nodeId, context.random.int(...ANSWERS), ANSWERS_WITHIN_MS)
  await pause(context.random.int(...REST_MS))
  load.disturb(victim.nodeId)
  await site.fleet.kill(victim)
  if (kill % 20 === 0) context.say(`${kill} of ${count} kills, ${load.history.operations.length} operations`)
  return watch.add(victim.nodeId, Date.now())
}

async function isSound({ store }: Site): Promise<boolean> {
  const [row] = await store.query('pragma integrity_check')
  return row?.['integrity_check'] === 'ok'
}
