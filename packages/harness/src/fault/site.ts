import type { CreatedRuntime } from '@svc/contract'
import { createOwner, deploy, type HarnessOwner, registerRuntime } from '../support/owner.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { PATIENT, type ServerOptions } from '../support/server.ts'
import type { Store } from '../support/store.ts'
import { type EffectLog, startEffectLog } from './effect-log.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { CAPABILITY, type PlannedModel, startPlannedModel } from './planned-model.ts'

export interface SiteRuntime {
  runtimeId: string
  publicKey: string
  ownerId: string
}

/** Servers, and the two doubles that outlive them. */
export interface Stage {
  store: Store
  endpoint: EffectLog
  model: PlannedModel
  fleet: Fleet
  /** How the stage's servers are started. */
  serverOptions: ServerOptions
}

/** A stage with accounts on it: everything that a load needs. */
export interface Site extends Stage {
  owners: readonly HarnessOwner[]
  runtimes: readonly SiteRuntime[]
}

export interface StageOptions {
  store: Store
  replicas: number
  /** Connections of the harness to each server. */
  connections: number
  variables?: Readonly<Record<string, string>>
}

// Pro plans: their quota is counted, and wide enough for a whole run.
const OWNERS = 2
const RUNTIMES_EACH = 4

/** Starts servers and doubles, which end with the scenario. */
export async function openStage(context: ScenarioContext, options: StageOptions): Promise<Stage> {
  const { store, replicas, connections, variables } = options
  const [endpoint, model] = await Promise.all([startEffectLog(Date.now), startPlannedModel()])
  context.onEnd(() => Promise.all([endpoint.close(), model.close()]))
  const serverOptions: ServerOptions = {
    store,
    serverFolder: context.serverFolder,
    env: context.env,
    variables: {
      SVC_MODEL: 'openai-compatible:double',
      SVC_MODEL_BASE_URL: model.baseUrl,
      SVC_MODEL_API_KEY: 'harness',
      ...PATIENT,
      ...variables,
    },
  }
  const fleet = createFleet(serverOptions, connections)
  context.onEnd(() => fleet.close())
  for (let index = 0; index < replicas; index += 1) await fleet.start()
  return { store, endpoint, model, fleet, serverOptions }
}

/** Opens a stage and two accounts on it. */
export async function openSite(context: ScenarioContext, options: StageOptions): Promise<Site> {
  const stage = await openStage(context, options)
  const owners = await Promise.all(
    Array.from({ length: OWNERS }, (_, index) => createOwner(stage.serverOptions, `owner-${index}@example.com`, 'pro')),
  )
  const runtimes = await Promise.all(owners.map((owner) => openRuntimes(stage, owner)))
  return { ...stage, owners, runtimes: runtimes.flat() }
}

async function openRuntimes(stage: Stage, owner: HarnessOwner): Promise<SiteRuntime[]> {
  const runtimes: SiteRuntime[] = []
  for (let index = 0; index < RUNTIMES_EACH; index += 1) {
    const created = await openRuntime(stage, owner, `Runtime ${index}`)
    runtimes.push({ runtimeId: created.runtimeId, publicKey: created.publicKey, ownerId: owner.ownerId })
  }
  return runtimes
}

/** Registers a runtime at the stage's endpoint and deploys the one capability that the model's double asks for. */
export async function openRuntime(stage: Stage, owner: HarnessOwner, name: string): Promise<CreatedRuntime> {
  const [replica] = stage.fleet.live
  if (!replica) throw new Error('no server listens')
  const created = await registerRuntime(replica.server.url, owner, { name, endpoint: stage.endpoint.url })
  await deploy(replica.server.url, created, [CAPABILITY])
  return created
}
