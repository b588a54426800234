import { isDeepStrictEqual } from 'node:util'
import { type Client, type ClientReply, createClient } from '../support/client.ts'
import { addRuntime, brokerPath, openEnvironment } from '../support/environment.ts'
import { atMost, counted, exactly, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { ksDistance, median } from '../support/statistics.ts'

const SAMPLES = 3_000
const WARM_UP = 300
const MOST_DISTANCE = 0.08

interface Target {
  missing: string
  path: string
  times: number[]
}

export const brokerTiming: Scenario = {
  name: 'broker-timing',
  title: 'a 404 of the broker takes as long for a runtime that is there as for one that is not',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const environment = await openEnvironment(context, { variables: { SVC_TRUST_PROXY: '1' } })
    const shop = await addRuntime(environment, 'http://127.0.0.1:9')
    const silent = await addRuntime(environment, undefined)
    const runtime: Target = {
      missing: 'runtime',
      path: brokerPath({ runtimeId: 'rt_Zk3fQ8rT2mWx7bNc4vLp' }),
      times: [],
    }
    const others: Target[] = [
      { missing: 'capability', path: brokerPath(shop, 'other'), times: [] },
      { missing: 'endpoint', path: brokerPath(silent), times: [] },
    ]
    const client = createClient(environment.server.url, 1)
    const targets = [runtime, ...others]
    await sample(context, client, targets, WARM_UP)
    for (const { times } of targets) times.length = 0
    // Fewer would tell nothing, at any scale.
    const unlike = await sample(context, client, targets, context.count(SAMPLES, SAMPLES))
    return [
      counted('calls for each of the three', runtime.times.length),
      exactly('answers with another status, body or header', unlike, 0),
      ...targets.map(({ missing, times }) => counted(`median without the ${missing}`, median(times), 'ms')),
      ...others.map(({ missing, times }) =>
        atMost(
          `distance (KS) of times without the ${missing} from those without the runtime`,
          ksDistance(runtime.times, times),
          MOST_DISTANCE,
        ),
      ),
    ]
  },
}

/** In an order that changes, so that a disturbance of the machine strikes all alike. Returns how many answers differ. */
async function sample(
  { random }: ScenarioContext,
  client: Client,
  targets: readonly Target[],
  count: number,
): Promise<number> {
  let unlike = 0
  let first: unknown = null
  for (let index = 0; index < count; index += 1) {
    // Each round comes from another network: one alone is refused after 600 a minute.
    const headers = { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` }
    const offset = random.int(0, targets.length - 1)
    for (const { path, times } of [...targets.slice(offset), ...targets.slice(0, offset)]) {
      const startedAt = performance.now()
      const reply = await client.send({ path, body: { input: {} }, headers })
      times.push(performance.now() - startedAt)
      first ??= gistOf(reply)
      unlike += isDeepStrictEqual(gistOf(reply), first) ? 0 : 1
    }
  }
  return unlike
}

function gistOf(reply: ClientReply): unknown {
  const { 'x-request-id': _id, date: _date, ...headers } = reply.headers
  return { status: reply.status, text: reply.text, headers: Object.entries(headers) }
}
