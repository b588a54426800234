import type { Scenario } from '../support/scenario.ts'
import { disk } from './disk/disk.ts'
import { endpointFaults } from './endpoint-faults/endpoint-faults.ts'
import { leavingClients } from './leaving-clients/leaving-clients.ts'
import { modelFaults } from './model-faults/model-faults.ts'
import { rotation } from './rotation/rotation.ts'
import { shutdown } from './shutdown/shutdown.ts'

/** What `npm run fault` runs, in this order. */
export const FAULT_SCENARIOS: readonly Scenario[] = [
  endpointFaults,
  modelFaults,
  leavingClients,
  shutdown,
  disk,
  rotation,
]
