import { setTimeout as pause } from 'node:timers/promises'
import { atLeast, atMost, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import type { Store } from '../support/store.ts'
import { Load } from './load.ts'
import { anyReplica, openLoadTarget } from './load-target.ts'
import { TakeoverWatch } from './takeover-watch.ts'

const PAUSES = 3
/** Longer than a lease, and as long as it takes until the other server has taken over. */
const SHORTEST_MS = 40_000
const TAKEN_OVER_MS = 45_000
/** A server that went on learns with its next renewal that it was given up, and takes another lease. */
const RECOVERED_MS = 12_000

export const pauses: Scenario = {
  name: 'pauses',
  title: 'SIGSTOP of a server for longer than its lease: executions that were taken over stay as they are',
  engines: ['postgres'],
  async run(context) {
    const target = await openLoadTarget(context, { replicas: 2, connections: 64 })
    const { store } = target
    const load = await new Load(target, context.random.fork()).start()
    const watch = new TakeoverWatch(store)
    const count = context.count(PAUSES)
    const takenOver = new Map<string, string>()
    for (let index = 1; index <= count; index += 1) {
      for (const [id, outcome] of await freezeOne(context, load, watch)) takenOver.set(id, outcome)
      context.say(`${index} of ${count} pauses, ${takenOver.size} executions taken over`)
    }
    const checks = await load.judge(TAKEN_OVER_MS, count)
    const now = await readOutcomes(store)
    const changed = [...takenOver].filter(([id, outcome]) => now.get(id) !== outcome)
    return [
      atLeast('share of pauses that hit running executions', watch.shareOfHits(), 0.9),
      exactly('executions taken over that were overwritten', changed.length, 0),
      ...checks,
      atMost('until the other server had taken them over, longest', watch.longestMs(), TAKEN_OVER_MS, 'ms'),
    ]
  },
}

/** The stored end of each execution that ran on the frozen server. */
async function freezeOne({ random }: ScenarioContext, load: Load, watch: TakeoverWatch): Promise<Map<string, string>> {
  const { store, replicaSet } = load.target
  const victim = random.pick([anyReplica(load.target), ...replicaSet.live.slice(1)])
  await load.answered(victim, random.int(5, 40))
  const endDisturbance = load.disturb(victim)
  const goOn = replicaSet.freeze(victim)
  const { since } = await watch.add(victim)
  const rows = await store.query("select execution_id from executions where status = 'running' and node_id = ?", [
    victim.nodeId,
  ])
  const running = new Set(rows.map((row) => String(row['execution_id'])))
  await watch.settle(TAKEN_OVER_MS + 5_000)
  await pause(Math.max(0, since + SHORTEST_MS - Date.now()))
  const outcomes = await readOutcomes(store)
  goOn()
  await pause(RECOVERED_MS)
  await load.answered(victim, 20)
  endDisturbance()
  return new Map([...outcomes].filter(([id]) => running.has(id)))
}

const COLUMNS = 'execution_id, status, finish_reason, error, steps, total_tokens, call_count, completed_at'

async function readOutcomes(store: Store): Promise<Map<string, string>> {
  const rows = await store.query(`select ${COLUMNS} from executions`)
  return new Map(rows.map((row) => [String(row['execution_id']), JSON.stringify(row)]))
}
