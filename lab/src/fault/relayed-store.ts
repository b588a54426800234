import { startPostgresCluster } from '../support/postgres-cluster.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { createPostgresStore } from '../support/store.ts'
import { startTcpRelay } from '../support/tcp-relay.ts'

/** A PostgreSQL of the scenario's own: servers reach `relayed` through the relay, the lab its database by itself. */
export async function openRelayedStore(context: ScenarioContext) {
  const cluster = await startPostgresCluster(context)
  const relay = await startTcpRelay({ host: '127.0.0.1', port: cluster.port })
  context.onEnd(() => relay.close())
  const direct = await createPostgresStore(cluster.url)
  const url = new URL(direct.location)
  url.port = String(relay.port)
  const relayed = { ...direct, serverEnv: { ...direct.serverEnv, DATABASE_URL: url.href } }
  return { cluster, relay, direct, relayed }
}

export type RelayedStore = Awaited<ReturnType<typeof openRelayedStore>>
