import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { atLeast, atMost, counted, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { createStore, type Store } from '../../support/store.ts'
import type { Replica } from '../fleet.ts'
import { createDeathWatch, type DeathWatch, longestClearing, shareOfHits } from '../kills/death-watch.ts'
import { type Load, startLoad } from '../load.ts'
import { openSite, type Site } from '../site.ts'

const PAUSES = 3
/** Longer than a lease, and as long as it takes until the other server has taken over. */
const SHORTEST_MS = 40_000
const TAKEN_OVER_MS = 45_000
const ANSWERS = [5, 40] as const
const ANSWERS_WITHIN_MS = 30_000
/** A server that went on learns with its next renewal that it was given up, and is itself again. */
const RECOVERED_MS = 12_000

/** Stops servers for longer than their lease, and lets them go on. */
export const pauses: Scenario = {
  name: 'pauses',
  title: 'SIGSTOP of a server for longer than its lease: what was taken over stays as it is',
  engines: ['postgres'],
  async run(context) {
    const store = await createStore(context.engine, context.env)
    context.onEnd(() => store.remove())
    const site = await openSite(context, { store, replicas: 2, connections: 64 })
    const run = {
      context,
      site,
      load: await startLoad(site, context.random.fork()),
      watch: createDeathWatch(store, Date.now),
    }
    const count = context.count(PAUSES)
    const takenOver: Outcomes = new Map()
    for (let index = 1; index <= count; index += 1) {
      for (const [id, outcome] of await freezeOne(run)) takenOver.set(id, outcome)
      context.say(`${index} of ${count} pauses, ${takenOver.size} executions taken over`)
    }
    const checks = await run.load.judge(TAKEN_OVER_MS)
    const now = await readOutcomes(store, [...takenOver.keys()])
    const changed = [...takenOver].filter(([id, outcome]) => now.get(id) !== outcome).map(([id]) => id)
    return [
      atLeast('share of pauses that hit running executions', shareOfHits(run.watch.deaths), 0.9),
      exactly('executions taken over that were overwritten', changed.length, 0),
      ...checks,
      atMost(
        'until the other server had taken them over, longest',
        longestClearing(run.watch.deaths),
        TAKEN_OVER_MS,
        'ms',
      ),
      counted('pauses', count),
      ...run.load.checks(count),
    ]
  },
}

interface Run {
  context: ScenarioContext
  site: Site
  load: Load
  watch: DeathWatch
}

/** By execution id: the stored end of each, as one text. */
type Outcomes = Map<string, string>

async function freezeOne({ context, site, load, watch }: Run): Promise<Outcomes> {
  const victim = pickVictim(site, context)
  await load.answered(victim.nodeId, context.random.int(...ANSWERS), ANSWERS_WITHIN_MS)
  const endDisturbance = load.disturb(victim.nodeId)
  const goOn = site.fleet.freeze(victim)
  const frozenAt = Date.now()
  await watch.add(victim.nodeId, frozenAt)
  const running = await runningOn(site.store, victim)
  await watch.settle(TAKEN_OVER_MS + 5_000)
  await pause(Math.max(0, frozenAt + SHORTEST_MS - Date.now()))
  const takenOver = await readOutcomes(site.store, running)
  goOn()
  await pause(RECOVERED_MS)
  await load.answered(victim.nodeId, 20, ANSWERS_WITHIN_MS)
  endDisturbance()
  return takenOver
}

function pickVictim(site: Site, { random }: ScenarioContext): Replica {
  const [first, ...rest] = site.fleet.live
  if (!first) throw new Error('no server is left to stop')
  return random.pick([first, ...rest])
}

const Running = z.object({ execution_id: z.string() })

async function runningOn(store: Store, { nodeId }: Replica): Promise<string[]> {
  const rows = await store.query("select execution_id from executions where status = 'running' and node_id = ?", [
    nodeId,
  ])
  return rows.map((row) => Running.parse(row).execution_id)
}

const Outcome = z.object({ execution_id: z.string() }).loose()

async function readOutcomes(store: Store, ids: readonly string[]): Promise<Outcomes> {
  const rows = await Promise.all(
    ids.map((id) =>
      store.query(
        'select execution_id, status, finish_reason, error, steps, total_tokens, call_count, completed_at from executions where execution_id = ?',
        [id],
      ),
    ),
  )
  return new Map(rows.flat().map((row) => [Outcome.parse(row).execution_id, JSON.stringify(row)]))
}
