import { isDeepStrictEqual } from 'node:util'
import { type Client, createClient, type Heard } from '../../support/client.ts'
import { deploy, registerRuntime } from '../../support/owner.ts'
import { atMost, type Check, counted, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { ksDistance, median } from '../../support/statistics.ts'
import { setStage } from '../support/stage.ts'

const SAMPLES = 3_000
const WARM_UP = 300
const MAX_DISTANCE = 0.08

/** How long the broker takes to say that there is nothing, by what is missing. */
export const brokerTiming: Scenario = {
  name: 'broker-timing',
  title: 'a 404 of the broker takes as long for a runtime that is there as for one that is not',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    const stage = await setStage(context, { variables: { SVC_TRUST_PROXY: '1' } })
    const { url } = stage.server
    const shop = await stage.runtime('Shop')
    await deploy(url, shop, ['probe'])
    const silent = await registerRuntime(url, stage.owner, { name: 'Without an endpoint' })
    await deploy(url, silent, ['probe'])
    const targets: Target[] = [
      { missing: 'runtime', path: '/v1/capabilities/rt_Zk3fQ8rT2mWx7bNc4vLp/probe' },
      { missing: 'capability', path: `/v1/capabilities/${shop.runtimeId}/other` },
      { missing: 'endpoint', path: `/v1/capabilities/${silent.runtimeId}/probe` },
    ]
    const client = createClient(url, 1)
    context.onEnd(() => client.close())
    await sample(context, client, targets, WARM_UP)
    return judge(await sample(context, client, targets, context.count(SAMPLES, SAMPLES)))
  },
}

interface Target {
  missing: string
  path: string
}

interface Samples {
  missing: string
  /** Milliseconds. */
  times: number[]
  /** Answers unlike the first one of all. */
  unlike: number
}

// In an order that changes, so that whatever else the machine does strikes all of them alike.
async function sample(
  { random }: Pick<ScenarioContext, 'random'>,
  client: Client,
  targets: readonly Target[],
  count: number,
): Promise<Samples[]> {
  const samples = targets.map(({ missing }): Samples => ({ missing, times: [], unlike: 0 }))
  let first: unknown = null
  for (let index = 0; index < count; index += 1) {
    // Each round comes from another network: one alone is refused after 600 a minute.
    const headers = { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }
    const offset = random.int(0, targets.length - 1)
    for (const step of targets.keys()) {
      const at = (offset + step) % targets.length
      const [target, into] = [targets[at], samples[at]]
      if (!target || !into) continue
      const startedAt = performance.now()
      const heard = await client.send({ method: 'POST', path: target.path, body: { input: {} }, headers })
      into.times.push(performance.now() - startedAt)
      first ??= gistOf(heard)
      if (!isDeepStrictEqual(gistOf(heard), first)) into.unlike += 1
    }
  }
  return samples
}

function gistOf(heard: Heard): unknown {
  if (heard.kind !== 'answer') return null
  const { 'x-request-id': _id, date: _date, ...headers } = heard.headers
  return { status: heard.status, text: heard.text, headers: Object.entries(headers) }
}

function judge(samples: readonly Samples[]): Check[] {
  const [runtime, ...others] = samples
  if (!runtime) return []
  return [
    counted('calls for each of the three', runtime.times.length),
    exactly(
      'answers with another status, body or header',
      samples.reduce((sum, { unlike }) => sum + unlike, 0),
      0,
    ),
    ...samples.map(({ missing, times }) => counted(`median without the ${missing}`, median(times), 'ms')),
    ...others.map(({ missing, times }) =>
      atMost(
        `distance (KS) of times without the ${missing} from those without the runtime`,
        ksDistance(runtime.times, times),
        MAX_DISTANCE,
      ),
    ),
  ]
}
