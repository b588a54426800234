import { setTimeout as pause } from 'node:timers/promises'
import type { CreatedRuntime } from '@svc/contract'
import { type ProbeNotes, startProbe } from '../support/probe.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { startGoodEndpoint } from '../support/serving.ts'
import { addRuntime, addTenant, brokerPath, openWorld, type World, type WorldOptions } from '../support/world.ts'

/** All that a scenario attacks, and an account beside it whose calls are timed. */
export interface Stage extends World {
  endpoint: string
  /** Another runtime of the owner's at the endpoint. */
  runtime(): Promise<CreatedRuntime>
  /** A runtime of another account. */
  ofOther(email: string): Promise<CreatedRuntime>
  /** Times calls of the neighbour from now on. */
  watchNeighbour(everyMs: number): { stop(): Promise<ProbeNotes> }
  /** Times them for so long. */
  timeNeighbour(everyMs: number, forMs: number): Promise<ProbeNotes>
}

export async function setStage(context: ScenarioContext, options: WorldOptions = {}): Promise<Stage> {
  const endpoint = await startGoodEndpoint(context)
  const world = await openWorld(context, options)
  const ofOther = (email: string) => addTenant(world, { email, endpoint })
  const request = { path: brokerPath(await ofOther('neighbour@example.com')), body: { input: {} } }
  const watchNeighbour = (everyMs: number) => startProbe(context, { url: world.server.url, everyMs, request })
  return {
    ...world,
    endpoint,
    runtime: () => addRuntime(world, endpoint),
    ofOther,
    watchNeighbour,
    async timeNeighbour(everyMs, forMs) {
      const probe = watchNeighbour(everyMs)
      await pause(forMs)
      return probe.stop()
    },
  }
}
