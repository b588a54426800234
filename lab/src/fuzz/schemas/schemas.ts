import { createServer } from 'node:net'
import { listenOnFreePort } from '@svc/testkit'
import { createClient } from '../../support/client.ts'
import { at, HEALTH, startProbe } from '../../support/probe.ts'
import { atLeast, atMost, type Check, counted, exactly, none, type Scenario } from '../../support/scenario.ts'
import { rounded } from '../../support/statistics.ts'
import { addRuntime, brokerPath, capability, errorLines, stopServer } from '../../support/world.ts'
import { setStage } from '../stage.ts'
import { drawInputs, drawSchemas } from './hostile.ts'

const SCHEMAS = 300
/** A runtime's rate is not what is tried here. */
const DEPLOYMENTS_OF_ONE_RUNTIME = 50
const ANSWER_MS = 1_000
const DELAY_MS = 100

/** One deployment or call, and how it was answered; status 0 where it was not. */
interface Answered {
  family: string
  status: number
  ms: number
}

export const schemas: Scenario = {
  name: 'schemas',
  title: 'no schema and no input for one holds up another account',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const { server, owner, endpoint } = await setStage(context)
    let fetches = 0
    const bait = await listenOnFreePort(
      createServer((socket) => {
        fetches += 1
        socket.destroy()
      }),
    )
    context.onEnd(bait.close)
    const client = createClient(server.url, 2)
    const timed = async (family: string, path: string, body: unknown, key?: string): Promise<Answered> => {
      const startedAt = performance.now()
      const { status } = await client.send({ path, body, key })
      return { family, status, ms: performance.now() - startedAt }
    }
    const [deployments, calls]: [Answered[], Answered[]] = [[], []]
    const newRuntime = () => addRuntime({ server, owner }, endpoint, null)
    let runtime = await newRuntime()
    const probe = startProbe(context, { url: server.url, everyMs: 10, request: HEALTH })
    const drawn = drawSchemas(context.count(SCHEMAS, 31), context.random, bait.url)
    for (const [index, { family, schema }] of drawn.entries()) {
      if (index % DEPLOYMENTS_OF_ONE_RUNTIME === DEPLOYMENTS_OF_ONE_RUNTIME - 1) runtime = await newRuntime()
      const body = { manifest: { schemaVersion: 2, ...capability('hostile', schema) } }
      const deployed = await timed(family, '/v1/deployments', body, runtime.deployKey)
      deployments.push(deployed)
      if (deployed.status !== 201) continue
      const path = brokerPath(runtime, 'hostile')
      for (const input of drawInputs(context.random)) calls.push(await timed(family, path, { input }))
    }
    const health = await probe.stop()
    return [
      ...judgeAnswers(deployments, calls),
      exactly('health checks that failed meanwhile', health.failures, 0),
      atLeast('health checks meanwhile', health.latenciesMs.length, 20),
      atMost('delay of the event loop, seen from outside, p99', at(0.99, health), DELAY_MS, 'ms'),
      exactly('fetches by the service', fetches, 0),
      none('lines of the log that tell of a fault', errorLines(await stopServer(server))),
    ]
  },
}

/** Each deployment and call answered in time as it should be. */
function judgeAnswers(deployments: readonly Answered[], calls: readonly Answered[]): Check[] {
  const accepted = deployments.filter(({ status }) => status === 201).length
  const odd = (list: readonly Answered[], good: number) =>
    list.filter(({ status }) => status !== good && status !== 400).map(({ family, status }) => `${family} ${status}`)
  const slowest = (what: string, list: readonly Answered[]) => {
    const [worst] = list.toSorted((one, other) => other.ms - one.ms)
    const check = atMost(what, worst?.ms ?? 0, ANSWER_MS, 'ms')
    return { ...check, measured: `${rounded(worst?.ms ?? 0)} ms (${worst?.family})` }
  }
  return [
    counted('schemas', deployments.length),
    atLeast('share of them that was refused', 1 - accepted / deployments.length, 0.2),
    atLeast('share of them that was accepted, and called', accepted / deployments.length, 0.2),
    none('deployments answered by other than 201 or 400', odd(deployments, 201)),
    slowest('slowest deployment', deployments),
    none('calls answered by other than 200 or 400', odd(calls, 200)),
    atLeast('calls with hostile inputs', calls.length, accepted),
    slowest('slowest call', calls),
  ]
}
