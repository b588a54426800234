import { setTimeout as pause } from 'node:timers/promises'
import { BillingUsage } from '@svc/contract'
import { brokerPath, get, type LabOwner, saying } from '../support/environment.ts'
import { type Check, exactly, none, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { anyReplica, CAPABILITY, type LoadTarget, openLoadTarget } from './load-target.ts'
import { planWords } from './operations.ts'
import { readExecutions } from './rows.ts'
import { letIn, type Storm, storm } from './storm.ts'

const CALLS = 1_000
const REPEATS = 20
// Each server grants its share of a rate limit, and counts the others with the renewal of its lease, every ten seconds.
const COUNTED_MS = 12_000

/** The limits of the free plan, and how long each bucket takes for one unit more. */
const RATE = { burst: 60, unitMs: 1_000 }
const ANONYMOUS = { burst: 50, unitMs: 144_000 }
const MAIN = { burst: 200, unitMs: 36_000 }

export const quota: Scenario = {
  name: 'quota',
  title: 'Quota and rate limits, exact with 1,000 calls at once, on one server and on three',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const calls = context.count(CALLS, 250)
    const target = await openLoadTarget(context, { replicas: 1, connections: calls })
    const checks: Check[] = []
    for (const replicas of context.engine === 'sqlite' ? [1] : [1, 3]) {
      while (target.replicaSet.live.length < replicas) await target.replicaSet.start()
      if (replicas > 1) await pause(COUNTED_MS)
      checks.push(...(await repeat(context, target, calls)))
    }
    return checks
  },
}

async function repeat({ count, say }: ScenarioContext, target: LoadTarget, calls: number): Promise<Check[]> {
  const replicas = target.replicaSet.live.length
  const wrong: string[] = []
  for (let index = 1; index <= count(REPEATS); index += 1) {
    wrong.push(...(await playRound(target, `free-${replicas}-${index}@example.com`, calls)))
    if (index % 5 === 0) say(`${index} of ${count(REPEATS)} repeats on ${replicas} servers`)
  }
  return [
    exactly(`repeats of three storms of ${calls} calls, ${replicas} server(s)`, count(REPEATS), count(REPEATS)),
    none(`limits that were not met exactly, usage or rows that differ, ${replicas} server(s)`, wrong),
  ]
}

/** A bucket that stood full, and how long calls were made on it: it lets in its burst, and what came in meanwhile. */
export function isWithin(
  calls: number,
  { burst, unitMs, tookMs }: { burst: number; unitMs: number; tookMs: number },
): boolean {
  return calls >= burst && calls <= burst + Math.floor(tookMs / unitMs)
}

async function playRound(target: LoadTarget, email: string, calls: number): Promise<string[]> {
  const owner = await target.openOwner(email, 'free')
  const { runtimeId, publicKey } = await target.openRuntime(owner)
  const clients = target.replicaSet.live.map(({ client }) => client)
  const input = { op: 0, ms: 0, reset: false }
  const startedAt = Date.now()
  const send = (path: string, body: unknown, key?: string) => storm(clients, calls, () => ({ path, body, key }))
  const page = await send('/v1/runtime/capability', { capability: CAPABILITY, input }, publicKey)
  const broker = await send(brokerPath({ runtimeId }, CAPABILITY), { input })
  const content = planWords({ op: 0, calls: 0, callMs: 0, pieceMs: 0, isReset: false })
  const own = await send('/v1/executions', { runtimeId, messages: saying(content) }, owner.apiKey)
  // Both of the others have drawn on the quota, and the calls that they turned away have not.
  const left = { ...MAIN, burst: MAIN.burst - letIn(page) - letIn(broker), tookMs: Date.now() - startedAt }
  const claims: [string, boolean][] = [
    [`page: ${letIn(page)} let in`, isWithin(letIn(page), { ...RATE, tookMs: page.tookMs })],
    [`broker: ${letIn(broker)} let in`, isWithin(letIn(broker), { ...ANONYMOUS, tookMs: broker.tookMs })],
    [`owner: ${letIn(own)} let in of ${left.burst}`, isWithin(letIn(own), left)],
    ['usage or rows differ', await areRowsAndUsageRight(target, owner, { page, broker, own, startedAt })],
    ...[page, broker, own].flatMap(({ statuses }) =>
      [...statuses.keys()].map((status): [string, boolean] => [
        `a call got ${status}`,
        [200, 502, 429].includes(status),
      ]),
    ),
  ]
  return claims.filter(([, holds]) => !holds).map(([what]) => `${email}: ${what}`)
}

interface Round extends Record<'page' | 'broker' | 'own', Storm> {
  startedAt: number
}

async function areRowsAndUsageRight(target: LoadTarget, owner: LabOwner, { page, broker, own, startedAt }: Round) {
  const { url } = anyReplica(target).server
  const usage = BillingUsage.parse(await get(`${url}/v1/billing/usage`, owner.apiKey))
  const rows = (await readExecutions(target.store)).filter(({ ownerId }) => ownerId === owner.ownerId)
  const count = (kind: string) => rows.filter((row) => row.kind === kind).length
  const areRowsRight =
    count('execute') === letIn(own) && count('capability') === letIn(page) && count('broker') === letIn(broker)
  // Usage is told by the hour: of a round that began in the hour before, the rows alone are compared.
  const isWholeHour = Date.parse(usage.periodStart) <= startedAt
  const isUsageRight = usage.executions.used === rows.length && usage.anonymous.used === letIn(broker)
  return areRowsRight && (isUsageRight || !isWholeHour)
}
