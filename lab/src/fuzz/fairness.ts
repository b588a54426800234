import { countAlive } from '../support/environment.ts'
import { startTurns } from '../support/model-double.ts'
import { at } from '../support/probe.ts'
import { atLeast, atMost, counted, exactly, type Scenario } from '../support/scenario.ts'
import { openFuzzEnvironment } from './fuzz-environment.ts'
import { answered, generate, toLoad } from './load.ts'

const HEAP_MB = 512
const ATTACKERS = 4
/** 0.9 MB, most of it structure. */
const MESSAGES = 190
const PARTS = 78
const PART = { type: 'text', content: 'It is a red shoe of size 42.' }
/** How much slower another account's calls may be than on a quiet service. */
const P99_FACTOR = 5

export const fairness: Scenario = {
  name: 'fairness',
  title: 'accounts that send long conversations end no process and keep no other account out',
  engines: ['sqlite', 'postgres'],
  // From four accounts over 400 connections, in a small heap.
  async run(context) {
    const variables = await startTurns(context, [{ text: Array.from({ length: 6 }, () => 'Well. ') }], 500)
    const environment = await openFuzzEnvironment(context, {
      variables,
      nodeArguments: [`--max-old-space-size=${HEAP_MB}`],
    })
    const emails = Array.from({ length: ATTACKERS }, (_, serial) => `greedy-${serial}@example.com`)
    const attackers = await Promise.all(emails.map((email) => environment.addOtherRuntime(email)))
    const quiet = await environment.probeNeighbour(100, context.count(10_000, 2_000))
    const beside = environment.startNeighbourProbe(100)
    const messages = Array.from({ length: MESSAGES }, () => ({ role: 'user', parts: Array(PARTS).fill(PART) }))
    const attack = await generate(context, {
      url: environment.server.url,
      requests: attackers.map(({ publicKey }) => toLoad('/v1/runtime/execute', { messages }, publicKey)),
      connections: context.count(400, 40),
      seconds: context.count(60, 12),
      perSecond: null,
    })
    const busy = await beside.stop()
    const [admitted = 0, refused = 0] = [attack.byStatus['200'], attack.byStatus['429']]
    return [
      exactly('servers alive after long conversations', await countAlive(environment.server), 1),
      atLeast('long conversations let in', admitted, 1),
      atLeast('long conversations refused', refused, 1),
      exactly('long conversations answered by other than 200 and 429', answered(attack) - admitted - refused, 0),
      exactly('refusals without Retry-After', attack.withoutRetryAfter, 0),
      counted('long conversations whose connection closed', attack.broken),
      atLeast('calls of another account meanwhile', busy.latenciesMs.length, 20),
      exactly('calls of another account that failed', busy.failures, 0),
      counted('p99 of its calls before', at(0.99, quiet), 'ms'),
      atMost('p99 of its calls meanwhile', at(0.99, busy), at(0.99, quiet) * P99_FACTOR, 'ms'),
    ]
  },
}
