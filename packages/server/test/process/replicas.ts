import { randomBytes } from 'node:crypto'
import type { CreatedRuntime, Tier } from '@svc/contract'
import type { Gate } from '../support/deferred.ts'
import { createTestPlace, type TestEngine } from '../support/engines.ts'
import { type PostgresRelay, startPostgresRelay } from '../support/postgres-relay.ts'
import { startGatedEcho } from './gated-echo.ts'
import { createOwner, publish } from './operator.ts'
import { type ServerHere, startServerHere } from './server-here.ts'

export interface Replica extends ServerHere {
  /** Of its operations port. */
  ops: string
  /** Sums up the values of a metric whose line has all these texts. */
  metric(name: string, ...labels: readonly string[]): Promise<number>
}

export interface TwoReplicas {
  first: Replica
  second: Replica
  apiKey: string
  runtime: CreatedRuntime
  /** Where every capability call waits. */
  gate: Gate
  /** Between the replicas and their database. */
  relay: PostgresRelay
}

/** Two servers of this process on one database, with one runtime whose model calls `echo`, hears its answer, and speaks. */
export async function startTwoReplicas(
  engine: TestEngine,
  tier: Tier,
  variables: Readonly<Record<string, string>> = {},
): Promise<TwoReplicas> {
  const { gate, double, endpoint } = await startGatedEcho()
  const { location } = await createTestPlace(engine)
  const relay = await startPostgresRelay(location)
  const environment = {
    DATABASE_URL: relay.url,
    SVC_MASTER_KEY: randomBytes(32).toString('base64'),
    SVC_ALLOW_LOCAL_ENDPOINTS: '1',
    SVC_MODEL: 'openai-compatible:test-model',
    SVC_MODEL_BASE_URL: double.baseUrl,
    SVC_OPS_PORT: '0',
    ...variables,
  }
  const [first, second] = await Promise.all([startReplica(environment), startReplica(environment)])
  const { apiKey } = await createOwner(environment, tier)
  return { first, second, apiKey, runtime: await publish(first.url, apiKey, endpoint), gate, relay }
}

async function startReplica(environment: Readonly<Record<string, string>>): Promise<Replica> {
  const server = await startServerHere(environment)
  const [, ops = ''] = /^ops +(http:\S+),/m.exec(server.summary) ?? []
  return {
    ...server,
    ops,
    async metric(name, ...labels) {
      const answer = await fetch(`${ops}/metrics`, { headers: { connection: 'close' } })
      const lines = (await answer.text()).split('\n').filter((line) => line.startsWith(`${name}{`))
      const chosen = lines.filter((line) => labels.every((label) => line.includes(label)))
      return chosen.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
  }
}
