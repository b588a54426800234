import type { CreatedRuntime } from '@svc/contract'
import { createClient } from '../../support/client.ts'
import { createOwner, deploy, registerRuntime } from '../../support/owner.ts'
import { atLeast, atMost, type Check, counted, exactly, type Scenario } from '../../support/scenario.ts'
import { quantile } from '../../support/statistics.ts'
import { type ProbeNotes, startProbe } from '../support/probe.ts'
import { jsonRequest, toBytes } from '../support/raw-request.ts'
import { setStage } from '../support/stage.ts'
import { drawManifest, KINDS } from './manifests.ts'
import { refuseManifests } from './refused.ts'

const CONNECTIONS = 8
const MEASURED_MS = 10_000
const PROBE_EVERY_MS = 20
const TIMES_QUIET = 5
/** Below it, other programs of the machine decide. */
const LEAST_MS = 10

/** Large manifests of one account beside another account's broker calls, then refused ones beside its deployments. */
export const deployments: Scenario = {
  name: 'deployments',
  title: 'deployments delay no other account',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    const stage = await setStage(context)
    const measuredMs = context.count(MEASURED_MS, 2_000)
    const other = await createOwner(stage.options, 'neighbour@example.com', 'enterprise')
    const { url, port } = stage.server
    const neighbour = await registerRuntime(url, other, { name: 'Neighbour', endpoint: stage.endpoint.url })
    await deploy(url, neighbour, ['ping'])
    const request = brokerCall(neighbour)
    const probe = async (ms: number) => {
      const started = startProbe({ port, everyMs: PROBE_EVERY_MS, request })
      await new Promise((resolve) => setTimeout(resolve, ms))
      return started.stop()
    }
    await probe(1_000)
    const quiet = await probe(measuredMs)
    const checks: Check[] = [counted('neighbour’s broker call, quiet, p50', p50(quiet), 'ms')]
    for (const kind of KINDS) {
      const runtimes = await Promise.all(
        Array.from({ length: CONNECTIONS }, (_, at) => stage.runtime(`Deployer ${kind} ${at}`)),
      )
      const client = createClient(url, CONNECTIONS)
      context.onEnd(() => client.close())
      const texts = [0, 1].map((version) => JSON.stringify({ manifest: drawManifest(kind, version) }))
      let isOver = false
      const statuses: (number | null)[] = []
      const deployers = runtimes.map(async ({ deployKey }) => {
        for (let round = 0; !isOver; round += 1) {
          const text = texts[round % 2] ?? ''
          const heard = await client.send({ method: 'POST', path: '/v1/deployments', key: deployKey, text })
          statuses.push(heard.kind === 'answer' ? heard.status : null)
        }
      })
      const beside = await probe(measuredMs)
      isOver = true
      await Promise.all(deployers)
      checks.push(...judge(kind, { quiet, beside, statuses }))
    }
    return [...checks, ...(await refuseManifests(context, stage))]
  },
}

interface Measured {
  quiet: ProbeNotes
  beside: ProbeNotes
  statuses: readonly (number | null)[]
}

function judge(kind: string, { quiet, beside, statuses }: Measured): Check[] {
  const odd = statuses.filter((status) => status !== 201 && status !== 429)
  return [
    counted(`${kind}: deployments`, statuses.length),
    atLeast(`${kind}: of these accepted`, statuses.filter((status) => status === 201).length, 1),
    exactly(`${kind}: of these answered by other than 201 or 429`, odd.length, 0),
    exactly(`${kind}: neighbour’s calls that failed meanwhile`, beside.failures, 0),
    atMost(`${kind}: neighbour’s p50 beside them`, p50(beside), Math.max(LEAST_MS, TIMES_QUIET * p50(quiet)), 'ms'),
    counted(`${kind}: neighbour’s p99 beside them`, quantile(beside.latenciesMs, 0.99), 'ms'),
  ]
}

function p50({ latenciesMs }: ProbeNotes): number {
  return quantile(latenciesMs, 0.5)
}

function brokerCall({ runtimeId }: CreatedRuntime): Buffer {
  return toBytes(jsonRequest('POST', `/v1/capabilities/${runtimeId}/ping`, { body: { input: {} } }))
}
