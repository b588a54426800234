import { setTimeout as pause } from 'node:timers/promises'
import type { CreatedRuntime } from '@svc/contract'
import {
  addRuntime,
  addTenant,
  brokerPath,
  type Environment,
  type EnvironmentOptions,
  openEnvironment,
} from '../support/environment.ts'
import { type ProbeNotes, startProbe } from '../support/probe.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { startGoodEndpoint } from '../support/serving.ts'

/** All that a scenario attacks, and an account beside it whose calls are timed. */
export interface FuzzEnvironment extends Environment {
  endpoint: string
  /** Another runtime of the owner's at the endpoint. */
  addRuntime(): Promise<CreatedRuntime>
  /** A runtime of another account. */
  addOtherRuntime(email: string): Promise<CreatedRuntime>
  /** Times calls of the neighbour from now on. */
  startNeighbourProbe(everyMs: number): { stop(): Promise<ProbeNotes> }
  /** Times them for so long. */
  probeNeighbour(everyMs: number, forMs: number): Promise<ProbeNotes>
}

export async function openFuzzEnvironment(
  context: ScenarioContext,
  options: EnvironmentOptions = {},
): Promise<FuzzEnvironment> {
  const endpoint = await startGoodEndpoint(context)
  const environment = await openEnvironment(context, options)
  const addOtherRuntime = (email: string) => addTenant(environment, { email, endpoint })
  const request = { path: brokerPath(await addOtherRuntime('neighbour@example.com')), body: { input: {} } }
  const startNeighbourProbe = (everyMs: number) =>
    startProbe(context, { url: environment.server.url, everyMs, request })
  return {
    ...environment,
    endpoint,
    addRuntime: () => addRuntime(environment, endpoint),
    addOtherRuntime,
    startNeighbourProbe,
    async probeNeighbour(everyMs, forMs) {
      const probe = startNeighbourProbe(everyMs)
      await pause(forMs)
      return probe.stop()
    },
  }
}
