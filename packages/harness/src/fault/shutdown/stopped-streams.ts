import type { ScenarioContext } from '../../support/scenario.ts'
import { endedWithin, type ServerProcess } from '../../support/server.ts'
import { runningAfter } from '../rows.ts'
import { createExecuteCallers } from '../streams.ts'
import { startWatched, type World } from '../world.ts'
import type { StoppedStream } from './judge.ts'

export const STREAMS = 200
/** How long is waited for streams to begin, and for what was told to stop: longer than it may take. */
export const BEGUN_MS = 120_000
export const EXIT_MS = 90_000
// On PostgreSQL others may fail what a dead node ran once its lease of 30 s has run out, and they look every 10 s.
const TAKEN_OVER_MS = { sqlite: 5_000, postgres: 45_000 } as const

export interface StreamPlan {
  /** Short ones end by themselves, long ones never would. */
  kind: 'short' | 'long'
  /** Unique in a run: every stream carries it. */
  name: string
}

/** Opens so many at once; `begun` resolves when the head of each is there, or all of them are over. */
export function openStreams(world: World, plan: StreamPlan, count: number) {
  const callers = createExecuteCallers(world.server.url)
  let remaining = count
  let allBegun = () => {}
  const begun = new Promise<void>((resolve) => {
    allBegun = resolve
  })
  const streams = Array.from({ length: count }, async (_, index): Promise<StoppedStream> => {
    const tag = `${plan.kind}-${plan.name}-${index}`
    const { publicKey } = world.runtimes[index % world.runtimes.length] ?? world.runtimes[0]
    const onBegin = () => {
      remaining -= 1
      if (remaining === 0) allBegun()
    }
    return { tag, ...(await callers.execute({ key: publicKey, tag, isStream: true, onBegin })) }
  })
  void Promise.all(streams).then(allBegun).then(callers.close)
  return { streams, begun }
}

/** How many executions still run once a next server of the same store had its time to fail what this one left. */
export async function sweptByNext(context: ScenarioContext, world: World): Promise<number> {
  const next = await startWatched(context, world.options)
  const stillRunning = await runningAfter(world.store, TAKEN_OVER_MS[world.store.engine])
  await endOrderly(next)
  return stillRunning
}

/** Tells a server to stop that nobody uses. */
export async function endOrderly(server: ServerProcess): Promise<void> {
  server.kill('SIGTERM')
  const { end } = await endedWithin(server, EXIT_MS)
  if (end.code !== 0) throw new Error(`a server without callers ended with ${end.code ?? end.signal}, told to stop`)
}
