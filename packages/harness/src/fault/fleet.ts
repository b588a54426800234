import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { type Client, createClient } from '../support/client.ts'
import { endedWithin, type ServerOptions, type ServerProcess, startServer } from '../support/server.ts'
import { PROGRAM_MS, within } from '../support/within.ts'

/** One server process, and the name under which the database knows it. */
export interface Replica {
  nodeId: string
  server: ServerProcess
  client: Client
}

/** The servers that share one database. */
export interface Fleet {
  /** Those that are expected to answer. */
  readonly live: readonly Replica[]
  /** Starts one more and resolves when it listens. One at a time, so that it is known which node is new. */
  start(): Promise<Replica>
  /** Stops one where it stands, as a machine that swaps or a debugger does; what it returns lets it go on. */
  freeze(replica: Replica): () => void
  /** Ends one as a power cut would, and resolves when it is gone. */
  kill(replica: Replica): Promise<void>
  /** Whether any ended that was not killed. */
  readonly hasLostOne: boolean
  close(): Promise<void>
}

/** A server whose lease was taken from it takes another with its next renewal. */
const LEASE_SEEN_MS = 15_000
const POLL_MS = 200

const Node = z.object({ node_id: z.string() })

export function createFleet(options: ServerOptions, connections: number): Fleet {
  let live: Replica[] = []
  let hasLostOne = false
  const killed = new Set<Replica>()
  const frozen = new Set<Replica>()
  const known = new Set<string>()
  const newNode = async () => {
    for (const until = Date.now() + LEASE_SEEN_MS; Date.now() < until; await pause(POLL_MS)) {
      const rows = await options.store.query('select node_id from nodes')
      const found = rows.map((row) => Node.parse(row).node_id).find((id) => !known.has(id))
      if (found !== undefined) return found
    }
    throw new Error('a server that has started holds no lease')
  }
  const drop = async (replica: Replica) => {
    live = live.filter((other) => other !== replica)
    killed.add(replica)
    replica.server.kill()
    await Promise.all([endedWithin(replica.server), within(replica.client.close(), PROGRAM_MS, 'its clients')])
  }
  return {
    get live() {
      return live
    },
    get hasLostOne() {
      return hasLostOne
    },
    async start() {
      const server = await startServer(options)
      const nodeId = await newNode()
      known.add(nodeId)
      const replica = { nodeId, server, client: createClient(server.url, connections) }
      live = [...live, replica]
      void server.ended.then(() => {
        hasLostOne ||= !killed.has(replica)
      })
      return replica
    },
    freeze(replica) {
      live = live.filter((other) => other !== replica)
      frozen.add(replica)
      replica.server.kill('SIGSTOP')
      return () => {
        frozen.delete(replica)
        replica.server.kill('SIGCONT')
        live = [...live, replica]
      }
    },
    kill: drop,
    close: async () => void (await Promise.all([...live, ...frozen].map(drop))),
  }
}
