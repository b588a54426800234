import { atLeast, atMost, type Check, counted, exactly, withFindings } from '../../support/scenario.ts'
import { quantile } from '../../support/statistics.ts'
import type { ProbeNotes } from '../support/probe.ts'

/** One deployment or call, and how it was answered. */
export interface Answered {
  family: string
  /** Null: not at all. */
  status: number | null
  ms: number
}

export interface SchemaRun {
  deployments: readonly Answered[]
  calls: readonly Answered[]
  probe: ProbeNotes
  fetches: number
  errorLines: number
}

const ANSWER_MS = 1_000
const DELAY_MS = 100

/** Judges a run: each deployment and call answered in time as it should be, and the service free for others meanwhile. */
export function judgeSchemas(run: SchemaRun): Check[] {
  const { deployments, calls, probe } = run
  const accepted = deployments.filter(({ status }) => status === 201).length
  const unfit = (list: readonly Answered[], good: readonly number[]) =>
    list.filter(({ status }) => status === null || !good.includes(status))
  const oddDeployments = unfit(deployments, [201, 400])
  const oddCalls = unfit(calls, [200, 400])
  const slowest = Math.max(0, ...deployments.map(({ ms }) => ms))
  return [
    counted('schemas', deployments.length),
    atLeast('share of them that was refused', 1 - accepted / deployments.length, 0.2),
    atLeast('share of them that was accepted, and called', accepted / deployments.length, 0.2),
    oddOnes('deployments answered by other than 201 or 400', oddDeployments),
    atMost('slowest deployment', slowest, ANSWER_MS, 'ms'),
    oddOnes('calls answered by other than 200 or 400', oddCalls),
    atLeast('calls with hostile inputs', calls.length, accepted),
    atMost('slowest call', Math.max(0, ...calls.map(({ ms }) => ms)), ANSWER_MS, 'ms'),
    exactly('health checks that failed meanwhile', probe.failures, 0),
    atLeast('health checks meanwhile', probe.latenciesMs.length, 20),
    atMost('delay of the event loop, seen from outside, p99', quantile(probe.latenciesMs, 0.99), DELAY_MS, 'ms'),
    exactly('fetches by the service', run.fetches, 0),
    exactly('lines of the log that tell of a fault', run.errorLines, 0),
  ]
}

function oddOnes(what: string, odd: readonly Answered[]): Check {
  const told = new Set(odd.map(({ family, status }) => `${family} ${status}`))
  return withFindings(exactly(what, odd.length, 0), [...told].slice(0, 5))
}
