import { setTimeout as pause } from 'node:timers/promises'
import { startPostgresCluster } from '../support/postgres-cluster.ts'
import { atLeast, atMost, type Scenario } from '../support/scenario.ts'
import { createPostgresStore } from '../support/store.ts'
import { Load } from './load.ts'
import { anyReplica, openLoadTarget } from './load-target.ts'

const RESTARTS = 20
const FIRST_SUCCESS_MS = 5_000
/** Commits whose answer was lost leave executions that no server runs; the sweep ends them once they are overdue. */
const EXECUTION_MS = 10_000
const DISPATCH_MS = 5_000
const OVERDUE_MARGIN_MS = 90_000

export const postgresRestarts: Scenario = {
  name: 'postgres-restarts',
  title: 'PostgreSQL restarted at once, under load: the servers live on, and nothing acknowledged is lost',
  engines: ['postgres'],
  async run(context) {
    const { random } = context
    const database = await startPostgresCluster(context)
    const store = await createPostgresStore(database.url)
    const variables = { SVC_LIMIT_EXECUTION_MS: String(EXECUTION_MS), SVC_LIMIT_DISPATCH_MS: String(DISPATCH_MS) }
    const target = await openLoadTarget(context, { store, replicas: 2, variables })
    const load = await new Load(target, random.fork()).start()
    const { operations } = load
    const { live } = target.replicaSet
    const count = context.count(RESTARTS)
    let [felt, longestMs] = [0, 0]
    for (let restart = 1; restart <= count; restart += 1) {
      await load.answered(anyReplica(target), random.int(5, 60))
      await pause(random.int(0, 80))
      const endDisturbances = live.map((replica) => load.disturb(replica))
      const before = operations.length
      await database.restart({}, 'immediate')
      const readyAt = Date.now()
      await Promise.all(live.map((replica) => load.answered(replica, 1)))
      const outcome = operations.slice(before)
      for (const { nodeId } of live) {
        const isFirst = (one: (typeof outcome)[number]) => one.nodeId === nodeId && one.endedAt >= readyAt
        const first = outcome.find((one) => isFirst(one) && one.outcome.as === 'completed')
        longestMs = Math.max(longestMs, (first?.endedAt ?? Number.POSITIVE_INFINITY) - readyAt)
      }
      felt += outcome.some((one) => one.outcome.as === 'unknown' || one.outcome.as === 'refused') ? 1 : 0
      for (const end of endDisturbances) end()
      // The mark is missed: more restarts would only wait as long again.
      if (longestMs === Number.POSITIVE_INFINITY) break
    }
    return [
      atLeast('share of restarts in which operations broke off or were refused', felt / count, 0.9),
      ...(await load.judge(EXECUTION_MS + DISPATCH_MS + OVERDUE_MARGIN_MS, count)),
      atMost('until every server had a first success, longest', longestMs, FIRST_SUCCESS_MS, 'ms'),
      load.brokenOff(),
    ]
  },
}
