import type { Scenario } from '../support/scenario.ts'
import { disk } from './disk.ts'
import { endpointFaults } from './endpoint-faults.ts'
import { kills } from './kills.ts'
import { leavingClients } from './leaving-clients.ts'
import { pauses } from './pauses.ts'
import { postgresOutage } from './postgres-outage.ts'
import { postgresRestarts } from './postgres-restarts.ts'
import { quota } from './quota.ts'
import { resumedStreams } from './resumed-streams.ts'
import { revocation } from './revocation.ts'
import { rollingRestarts } from './rolling-restarts.ts'
import { shutdown } from './shutdown.ts'

/** The scenarios of `npm run fault`, in the order of a run. */
export const FAULT_SCENARIOS: readonly Scenario[] = [
  kills,
  pauses,
  postgresRestarts,
  postgresOutage,
  quota,
  revocation,
  endpointFaults,
  leavingClients,
  resumedStreams,
  shutdown,
  rollingRestarts,
  disk,
]
