import { setTimeout as pause } from 'node:timers/promises'
import { startPostgresCluster } from '../../support/postgres-cluster.ts'
import { atLeast, atMost, counted, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { createPostgresStore } from '../../support/store.ts'
import { brokenOffCheck, type Load, startLoad } from '../load.ts'
import { openSite, type Site } from '../site.ts'

const RESTARTS = 20
const ANSWERS = [5, 60] as const
const ANSWERS_WITHIN_MS = 30_000
const REST_MS = [0, 80] as const
const FIRST_SUCCESS_MS = 5_000
/** Commits whose answer was lost leave executions that nobody runs; the sweep ends them once they are overdue. */
const EXECUTION_MS = 10_000
const DISPATCH_MS = 5_000
const OVERDUE_MARGIN_MS = 90_000

/** Restarts PostgreSQL without a word to its clients, under load. */
export const postgresRestarts: Scenario = {
  name: 'postgres-restarts',
  title: 'PostgreSQL restarted at once, under load: the servers live on, and nothing acknowledged is lost',
  engines: ['postgres'],
  async run(context) {
    const database = await startPostgresCluster()
    context.onEnd(() => database.remove())
    const store = await createPostgresStore(database.url)
    const variables = { SVC_LIMIT_EXECUTION_MS: String(EXECUTION_MS), SVC_LIMIT_DISPATCH_MS: String(DISPATCH_MS) }
    const site = await openSite(context, { store, replicas: 2, connections: 32, variables })
    const load = await startLoad(site, context.random.fork())
    const count = context.count(RESTARTS)
    const successes: number[] = []
    let felt = 0
    for (let restart = 1; restart <= count; restart += 1) {
      const { successMs, wasFelt } = await restartOnce(context, {
        site,
        load,
        restart: () => database.restart({}, 'immediate'),
      })
      successes.push(successMs)
      felt += wasFelt ? 1 : 0
      if (restart % 5 === 0)
        context.say(`${restart} of ${count} restarts, ${load.history.operations.length} operations`)
    }
    const checks = await load.judge(EXECUTION_MS + DISPATCH_MS + OVERDUE_MARGIN_MS)
    return [
      atLeast('share of restarts in which operations broke off or were refused', felt / count, 0.9),
      ...checks,
      atMost('until every server had a first success, longest', Math.max(...successes), FIRST_SUCCESS_MS, 'ms'),
      brokenOffCheck(load),
      counted('restarts', count),
      ...load.checks(count),
    ]
  },
}

interface Run {
  site: Site
  load: Load
  restart(): Promise<void>
}

async function restartOnce(context: ScenarioContext, { site, load, restart }: Run) {
  const [first] = site.fleet.live
  if (!first) throw new Error('no server is left')
  await load.answered(first.nodeId, context.random.int(...ANSWERS), ANSWERS_WITHIN_MS)
  await pause(context.random.int(...REST_MS))
  const endDisturbances = site.fleet.live.map(({ nodeId }) => load.disturb(nodeId))
  const before = load.history.operations.length
  await restart()
  const readyAt = Date.now()
  await Promise.all(site.fleet.live.map(({ nodeId }) => load.answered(nodeId, 1, ANSWERS_WITHIN_MS)))
  const heard = load.history.operations.slice(before)
  const firsts = site.fleet.live.map(
    ({ nodeId }) =>
      heard.find(
        ({ endedAt, told, nodeId: asked }) => asked === nodeId && endedAt >= readyAt && told.as === 'completed',
      )?.endedAt ?? Number.POSITIVE_INFINITY,
  )
  for (const end of endDisturbances) end()
  return {
    successMs: Math.max(...firsts) - readyAt,
    wasFelt: heard.some(({ told }) => told.as === 'unknown' || told.as === 'refused'),
  }
}
