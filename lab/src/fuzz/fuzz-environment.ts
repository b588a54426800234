import { setTimeout as pause } from 'node:timers/promises'
import { addRuntime, addTenant, brokerPath, type EnvironmentOptions, openEnvironment } from '../support/environment.ts'
import { startProbe } from '../support/probe.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { answerJson, startServing } from '../support/serving.ts'

export type FuzzEnvironment = Awaited<ReturnType<typeof openFuzzEnvironment>>

/** A service that a scenario attacks, and an account beside it whose calls are timed. */
export async function openFuzzEnvironment(context: ScenarioContext, options: EnvironmentOptions = {}) {
  const endpoint = await startServing(context, (_, response) => answerJson(response, { output: { ok: true } }))
  const environment = await openEnvironment(context, options)
  const addOtherRuntime = (email: string) => addTenant(environment, { email, endpoint })
  const request = { path: brokerPath(await addOtherRuntime('neighbour@example.com')), body: { input: {} } }
  const startNeighbourProbe = (everyMs: number) =>
    startProbe(context, { url: environment.server.url, everyMs, request })
  return {
    ...environment,
    endpoint,
    /** Another runtime of the owner's at the endpoint. */
    addRuntime: () => addRuntime(environment, endpoint),
    /** A runtime of another account. */
    addOtherRuntime,
    startNeighbourProbe,
    async probeNeighbour(everyMs: number, forMs: number) {
      const probe = startNeighbourProbe(everyMs)
      await pause(forMs)
      return probe.stop()
    },
  }
}
