import type { Kysely } from 'kysely'
import type { InFlight } from '../admission/in-flight.ts'
import type { Clock } from '../lib/clock.ts'
import type { Limits } from '../limits.ts'
import type { Keyring } from '../secrets/keyring.ts'
import type { Schema } from '../store/schema.ts'
import type { Peers } from './peers.ts'
import type { StreamedRuns } from './streamed-runs.ts'

/** What resuming and cancelling need. */
export interface StreamDeps {
  db: Kysely<Schema>
  clock: Clock
  keyring: Keyring
  limits: Pick<Limits, 'resumeMs'>
  nodeId: string
  inFlight: InFlight
  streams: StreamedRuns
  peers: Peers
}
