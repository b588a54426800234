import type { ExecutionDeps } from '../executions/deps.ts'
import type { Peers } from './peers.ts'

type Parts = 'db' | 'clock' | 'keyring' | 'limits' | 'inFlight' | 'streams'

/** What resuming and cancelling need. */
export type StreamDeps = Pick<ExecutionDeps, Parts> & { nodeId: string; peers: Peers }
