import type { IncomingHttpHeaders } from 'node:http'
import type { CreatedRuntime } from '@svc/contract'
import type { ScenarioContext } from '../support/scenario.ts'
import { answerJson, startServing } from '../support/serving.ts'
import { addRuntime, capability, createOwner, openWorld, type World, type WorldOptions } from '../support/world.ts'

/** An owner's endpoint that verifies nothing and keeps nothing but the last call. */
export interface LeanEndpoint {
  url: string
  calls: number
  lastCall: { headers: IncomingHttpHeaders; body: string } | null
  /** Every so-manieth call fails as a capability does; 0 for none. */
  failEvery: number
}

export interface Stage extends World {
  endpoint: LeanEndpoint
  /** Another runtime of the owner's at the endpoint, with the capability `probe`. */
  runtime(): Promise<CreatedRuntime>
  /** A runtime of another account. */
  ofOther(email: string, tier?: 'free' | 'enterprise'): Promise<CreatedRuntime>
}

/** Starts all that a scenario attacks. */
export async function setStage(context: ScenarioContext, options: WorldOptions = {}): Promise<Stage> {
  const endpoint: LeanEndpoint = { url: '', calls: 0, lastCall: null, failEvery: 0 }
  endpoint.url = await startServing(context, (body, response, { headers }) => {
    endpoint.calls += 1
    endpoint.lastCall = { headers, body }
    const fails = endpoint.failEvery > 0 && endpoint.calls % endpoint.failEvery === 0
    answerJson(
      response,
      fails ? { output: null, error: { message: 'It fails as it was told to.' } } : { output: { ok: true } },
    )
  })
  const world = await openWorld(context, options)
  const probe = capability('probe')
  return {
    ...world,
    endpoint,
    runtime: () => addRuntime(world, endpoint.url, probe),
    async ofOther(email, tier = 'enterprise') {
      const owner = await createOwner(world.options, email, tier)
      return addRuntime({ server: world.server, owner }, endpoint.url, probe)
    },
  }
}

export function probePath({ runtimeId }: Pick<CreatedRuntime, 'runtimeId'>): string {
  return `/v1/capabilities/${runtimeId}/probe`
}
