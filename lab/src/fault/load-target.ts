import { setTimeout as pause } from 'node:timers/promises'
import { CapabilityCall, type CreatedRuntime, type Tier } from '@svc/contract'
import type { DoubleTurn } from '@svc/testkit'
import { z } from 'zod'
import { type Client, createClient } from '../support/client.ts'
import { addRuntime, capability, createOwner, type LabOwner } from '../support/environment.ts'
import { encodeTurn, resultsIn, startModelDouble } from '../support/model-double.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import {
  endedWithin,
  NO_LOOP_DELAY_LIMIT,
  type ServerOptions,
  type ServerProcess,
  startServer,
} from '../support/server.ts'
import { answerJson, startServing } from '../support/serving.ts'
import { createStore, type Store } from '../support/store.ts'
import { until } from '../support/within.ts'
import { readPlanWords } from './operations.ts'

/** The capability that the model's double asks for. */
export const CAPABILITY = 'work'

const Work = z.object({ op: z.number(), ms: z.number(), reset: z.boolean() })
export type Work = z.infer<typeof Work>

/** One server process, and the name under which the database knows it. */
export interface Replica {
  nodeId: string
  server: ServerProcess
  client: Client
}

interface LoadTargetOptions {
  replicas: number
  /** Connections of the lab to each server. */
  connections?: number
  store?: Store
  variables?: Readonly<Record<string, string>>
}

export type LoadTarget = Awaited<ReturnType<typeof openLoadTarget>>

/**
 * Servers that share one database, with an endpoint and a model that stay up. The two accounts are on pro plans: their quota is
 * counted, and wide enough for a whole run.
 */
export async function openLoadTarget(context: ScenarioContext, options: LoadTargetOptions) {
  const { replicas, connections = 32, store = await createStore(context), variables } = options
  const effects = new Map<string, number>()
  const barred = new Set<string>()
  const endpoint = await startServing(context, async (body, response) => {
    const { callId, input, mode } = CapabilityCall.parse(JSON.parse(body))
    // By the endpoint's own log. A call that a stopped server sends once it goes on may come after the question.
    const said = effects.has(callId) ? { status: 'completed', output: null } : { status: 'never' }
    if (mode === 'reconcile' && !effects.has(callId)) barred.add(callId)
    if (mode === 'reconcile') return void answerJson(response, { output: said })
    if (barred.has(callId)) return void answerJson(response, { output: null, error: { message: 'It never ran.' } })
    const { op, ms, reset } = Work.parse(input)
    effects.set(callId, (effects.get(callId) ?? 0) + 1)
    if (ms > 0) await pause(ms)
    if (reset) response.socket?.resetAndDestroy()
    else answerJson(response, { output: { op } })
  })
  const double = await startModelDouble(context, (_, body) => {
    const plan = readPlanWords(body)
    return { turn: encodeTurn(turnOf(plan, resultsIn(body) > 0)), pauseMs: plan.pieceMs }
  })
  const { env, serverFolder } = context
  const serverOptions = {
    store,
    serverFolder,
    env,
    variables: { ...double.variables, ...NO_LOOP_DELAY_LIMIT, ...variables },
  }
  const replicaSet = new ReplicaSet(serverOptions, connections)
  context.onEnd(() => replicaSet.close())
  while (replicaSet.live.length < replicas) await replicaSet.start()
  const owners: LabOwner[] = []
  const runtimes: CreatedRuntime[] = []
  const manifest = { ...capability(CAPABILITY), reconcile: true }
  const openOwner = (email: string, tier: Tier) => createOwner(serverOptions, email, tier)
  const openRuntime = (owner: LabOwner) =>
    addRuntime({ server: anyReplica({ replicaSet }).server, owner }, endpoint, manifest)
  while (owners.length < 2) {
    const owner = await openOwner(`owner-${owners.length}@example.com`, 'pro')
    owners.push(owner)
    for (let index = 0; index < 4; index += 1) runtimes.push(await openRuntime(owner))
  }
  /** `effects`: how often each call had its effect, by call id. `modelRequests`: by the number of the operation, as text. */
  return { store, effects, modelRequests: double.counts, replicaSet, owners, runtimes, openOwner, openRuntime }
}

const WITHOUT_CALLS: DoubleTurn = { text: ['That', ' is', ' done', '.'] }

/** Pauses in an answer without calls. */
export const PAUSES = encodeTurn(WITHOUT_CALLS).length

function turnOf(plan: ReturnType<typeof readPlanWords>, hasResults: boolean): DoubleTurn {
  if (plan.calls === 0 || hasResults) return WITHOUT_CALLS
  const input: Work = { op: plan.op, ms: plan.callMs, reset: plan.isReset }
  return { toolCalls: Array.from({ length: plan.calls }, () => ({ name: CAPABILITY, input })), pieceLength: 40 }
}

export function anyReplica({ replicaSet }: { replicaSet: ReplicaSet }): Replica {
  const [replica] = replicaSet.live
  if (!replica) throw new Error('no server is left')
  return replica
}

/** A server whose lease was taken from it takes another with its next renewal. */
const LEASE_SEEN_MS = 15_000

/** The servers that share one database. */
export class ReplicaSet {
  /** Those that are expected to answer. */
  live: readonly Replica[] = []
  /** Whether any ended that was not killed. */
  hasLostOne = false
  readonly #options: ServerOptions
  readonly #connections: number
  readonly #all: Replica[] = []

  constructor(options: ServerOptions, connections: number) {
    this.#options = options
    this.#connections = connections
  }

  /** One at a time, so that it is known which node is new. */
  async start(): Promise<Replica> {
    const server = await startServer(this.#options)
    const nodeId = await this.#newNode()
    const replica = { nodeId, server, client: createClient(server.url, this.#connections) }
    this.#all.push(replica)
    this.live = [...this.live, replica]
    void server.ended.then(() => {
      this.hasLostOne ||= this.live.includes(replica)
    })
    return replica
  }

  async #newNode(): Promise<string> {
    let found: string | undefined
    const look = async () => {
      const ids = (await this.#options.store.query('select node_id from nodes')).map((row) => String(row['node_id']))
      found = ids.find((id) => this.#all.every(({ nodeId }) => nodeId !== id))
      return found !== undefined
    }
    await until(look, LEASE_SEEN_MS, 200)
    if (found === undefined) throw new Error('a server that has started holds no lease')
    return found
  }

  /** Stops one with SIGSTOP; the returned function lets it go on. */
  freeze(replica: Replica): () => void {
    this.live = this.live.filter((other) => other !== replica)
    replica.server.kill('SIGSTOP')
    return () => {
      replica.server.kill('SIGCONT')
      this.live = [...this.live, replica]
    }
  }

  /** Ends one as a power cut would, and resolves when it is gone. */
  async kill(replica: Replica): Promise<void> {
    this.live = this.live.filter((other) => other !== replica)
    replica.server.kill()
    await Promise.all([endedWithin(replica.server), replica.client.close()])
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((replica) => this.kill(replica)))
  }
}
