import { setTimeout as pause } from 'node:timers/promises'
import { atLeast, atMost, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { Load } from './load.ts'
import { openLoadTarget } from './load-target.ts'
import { TakeoverWatch } from './takeover-watch.ts'

const KILLS = { sqlite: 200, postgres: 100 } as const
const CLEARED_MS = { sqlite: 5_000, postgres: 45_000 } as const

export const kills: Scenario = {
  name: 'kills',
  title: 'kill -9 under load: nothing acknowledged is lost, and interrupted executions are ended',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const { engine, random } = context
    const target = await openLoadTarget(context, { replicas: engine === 'sqlite' ? 1 : 2 })
    const { store } = target
    const load = await new Load(target, random.fork()).start()
    const watch = new TakeoverWatch(store)
    const count = context.count(KILLS[engine])
    for (let kill = 1; kill <= count; kill += 1) {
      await killOne(context, load, watch)
      // On SQLite from the spawn of the next one on, whose start ends them.
      const death = watch.deaths.at(-1)
      if (death && engine === 'sqlite') death.since = Date.now()
      await Promise.all([target.replicaSet.start(), watch.settle(engine === 'sqlite' ? 2 * CLEARED_MS.sqlite : 0)])
      if (kill % 20 === 0) context.say(`${kill} of ${count} kills, ${load.operations.length} operations`)
    }
    // The load goes on, so that living executions could be hit by mistake.
    await watch.settle(CLEARED_MS[engine])
    const [sound] = engine === 'sqlite' ? await store.query('pragma integrity_check') : []
    return [
      exactly('kills', watch.deaths.length, count),
      atLeast('share of kills that hit running executions', watch.shareOfHits(), 0.9),
      ...(await load.judge(CLEARED_MS[engine], count)),
      atMost('until interrupted executions were ended, longest', watch.longestMs(), CLEARED_MS[engine], 'ms'),
      ...(sound ? [exactly('damages of the file', sound['integrity_check'] === 'ok' ? 0 : 1, 0)] : []),
      load.brokenOff(),
    ]
  },
}

async function killOne({ random }: ScenarioContext, load: Load, watch: TakeoverWatch): Promise<void> {
  const { replicaSet } = load.target
  const [first, ...rest] = replicaSet.live
  if (!first) throw new Error('no server is left to kill')
  const victim = random.pick([first, ...rest])
  await load.answered(victim, random.int(1, 60))
  await pause(random.int(0, 60))
  load.disturb(victim)
  await replicaSet.kill(victim)
  await watch.add(victim)
}
