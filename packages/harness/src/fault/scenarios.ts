import type { Scenario } from '../support/scenario.ts'
import { deployFlood } from './deploy-flood/deploy-flood.ts'
import { disk } from './disk/disk.ts'
import { endpointFaults } from './endpoint-faults/endpoint-faults.ts'
import { kills } from './kills/kills.ts'
import { leavingClients } from './leaving-clients/leaving-clients.ts'
import { modelFaults } from './model-faults/model-faults.ts'
import { pauses } from './pauses/pauses.ts'
import { postgresOutage } from './postgres-outage/postgres-outage.ts'
import { postgresRestarts } from './postgres-restarts/postgres-restarts.ts'
import { quota } from './quota/quota.ts'
import { refusalsAreFree } from './refusals-are-free/refusals-are-free.ts'
import { revocation } from './revocation/revocation.ts'
import { rollingRestarts } from './rolling-restarts/rolling-restarts.ts'
import { rotation } from './rotation/rotation.ts'
import { shutdown } from './shutdown/shutdown.ts'

/** What `npm run fault` runs, in this order. */
export const FAULT_SCENARIOS: readonly Scenario[] = [
  kills,
  pauses,
  postgresRestarts,
  postgresOutage,
  quota,
  refusalsAreFree,
  revocation,
  endpointFaults,
  modelFaults,
  leavingClients,
  shutdown,
  rollingRestarts,
  disk,
  deployFlood,
  rotation,
]
