import type { Scenario } from '../support/scenario.ts'
import { brokerTiming } from './broker-timing.ts'
import { fairness } from './fairness.ts'
import { overload } from './overload.ts'
import { requests } from './requests/requests.ts'
import { slowClients } from './slow-clients.ts'
import { ssrf } from './ssrf/ssrf.ts'

/** The scenarios of `npm run fuzz`, in the order of a run. */
export const FUZZ_SCENARIOS: readonly Scenario[] = [requests, ssrf, slowClients, brokerTiming, fairness, overload]
