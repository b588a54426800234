import { type PostgresCluster, startPostgresCluster } from '../support/postgres-cluster.ts'
import type { ScenarioContext } from '../support/scenario.ts'
import { createPostgresStore, type Store } from '../support/store.ts'
import { startTcpRelay, type TcpRelay } from '../support/tcp-relay.ts'

/** A PostgreSQL of the scenario's own, with two ways to one database. */
export interface RelayedStore {
  cluster: PostgresCluster
  relay: TcpRelay
  direct: Store
  /** Servers reach it through the relay, the harness by itself. */
  relayed: Store
}

/** Everything is taken down with the scenario. */
export async function openRelayedStore({ onEnd }: Pick<ScenarioContext, 'onEnd'>): Promise<RelayedStore> {
  const cluster = await startPostgresCluster()
  onEnd(() => cluster.remove())
  const relay = await startTcpRelay({ host: '127.0.0.1', port: cluster.port })
  onEnd(() => relay.close())
  const direct = await createPostgresStore(cluster.url)
  const url = new URL(direct.location)
  url.port = String(relay.port)
  const relayed = { ...direct, serverEnv: { ...direct.serverEnv, DATABASE_URL: url.href } }
  return { cluster, relay, direct, relayed }
}
