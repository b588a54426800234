import { createClient } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'
import type { Check, Scenario, ScenarioContext } from '../../support/scenario.ts'
import { endedWithin, type ServerProcess } from '../../support/server.ts'
import { faultOf } from '../support/judge-answer.ts'
import { toBytes } from '../support/raw-request.ts'
import { errorLines } from '../support/stage.ts'
import { insidesOf, residentBytes } from './attacked.ts'
import { isLetInFromElsewhere } from './browser.ts'
import { Connections } from './connections.ts'
import { findHidden, type Grounds, openGrounds } from './grounds.ts'
import { type Mutated, mutate, unchanged } from './mutate.ts'
import { layScenery, type Scenery } from './scenery.ts'
import { type Aftermath, countAnswer, judgeRun, newTally, type Tally } from './tally.ts'
import type { Target } from './targets.ts'

const REQUESTS = 50_000
/** Enough for every target to be carried out. */
const FEWEST_REQUESTS = 1_000
const CALLERS = 8
/** Keys get revoked and runtimes redeployed on the way: after so many requests a caller begins anew. */
const SCENERY_LASTS = 150
const SHOWN_FAULTS = 10
/** Until a target has been carried out, most of its requests are good ones: behind a refusal there is nothing to try. */
const MUTATED_BEFORE = 0.2

interface Attack {
  grounds: Grounds
  context: ScenarioContext
  tally: Tally
  wanted: number
}

/** Every operation of the live description and every route beside it, under structured and byte fuzzing over raw connections. */
export const requests: Scenario = {
  name: 'requests',
  title: 'whatever is sent to any route is answered in the one envelope',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    const grounds = await openGrounds(context)
    const tally = newTally()
    const attack = { grounds, context, tally, wanted: context.count(REQUESTS, FEWEST_REQUESTS) }
    const beginningBytes = residentBytes(grounds.attacked)
    await Promise.all(fork(context.random, CALLERS).map((random, caller) => call(attack, random, caller)))
    return judgeRun(tally, await aftermath(attack, beginningBytes))
  },
}

async function aftermath(
  { grounds, wanted, context, tally }: Attack,
  beginningBytes: readonly number[],
): Promise<Aftermath> {
  const endBytes = residentBytes(grounds.attacked)
  const servers = grounds.attacked.map(({ server }) => server)
  const health = await Promise.all(servers.map(isHealthy))
  const lines = (await Promise.all(servers.map(stop))).flat()
  for (const line of lines.slice(0, SHOWN_FAULTS)) context.say(`logged: ${line.slice(0, 600)}`)
  context.say(
    `answers by status: ${[...tally.statuses]
      .sort()
      .map((entry) => entry.join(': '))
      .join(', ')}`,
  )
  return {
    targets: grounds.targets.map(({ name }) => name),
    requestsWanted: wanted,
    servers: health.map((isAlive, index) => {
      return { isAlive, grownMb: ((endBytes[index] ?? 0) - (beginningBytes[index] ?? 0)) / 1024 / 1024 }
    }),
    errorLines: lines.length,
  }
}

async function isHealthy({ url }: ServerProcess): Promise<boolean> {
  const client = createClient(url, 1)
  const health = await client.send({ method: 'GET', path: '/health' })
  await client.close()
  return health.kind === 'answer' && health.status === 200
}

async function stop(server: ServerProcess): Promise<string[]> {
  server.kill('SIGTERM')
  return errorLines((await endedWithin(server)).end)
}

function fork(random: Random, count: number): Random[] {
  return Array.from({ length: count }, () => random.fork())
}

async function call(attack: Attack, random: Random, caller: number): Promise<void> {
  const { grounds, tally, wanted } = attack
  const { stage, targets, ground } = grounds
  const values = await findHidden(stage, caller)
  const connections = new Connections(() => {
    tally.leftovers += 1
    attack.context.say('a connection brought more than the answers to what was asked')
  })
  for (let serial = 0; tally.sent < wanted; serial += 1) {
    const connection = connections.to(stage.server.port)
    const scenery = await layScenery(connection, { ...ground, values, serial: serial * CALLERS + caller })
    for (let sent = 0; sent < SCENERY_LASTS && tally.sent < wanted; sent += 1) {
      const target = targets[(serial * SCENERY_LASTS + sent + caller) % targets.length]
      if (target === undefined) throw new Error('there is nothing to attack')
      await sendOne(attack, connections, { target, scenery, random })
    }
  }
  connections.close()
}

interface Draw {
  target: Target
  scenery: Scenery
  random: Random
}

async function sendOne(attack: Attack, connections: Connections, draw: Draw): Promise<void> {
  const { tally, grounds } = attack
  const { target, scenery, random } = draw
  const good = target.request(scenery, random)
  const isEntered = tally.served.has(target.name) || random.chance(MUTATED_BEFORE)
  const mutated = isEntered ? mutate(good, random, target.queryParameters) : unchanged(good)
  const isHead = mutated.request.method === 'HEAD'
  const heard = await connections.to(target.port).exchange(toBytes(mutated.request), { isHead })
  const { stage, attacked, browser } = grounds
  const fault = faultOf(heard, {
    manner: target.manner,
    mayFailAsCapability: target.mayFailAsCapability,
    mayCloseUnanswered: mutated.isFramingBroken,
    isHead,
    insides: insidesOf(attacked),
    ownersInsides: [new URL(stage.endpoint.url).host],
  })
  const status = heard.kind === 'answer' ? heard.answer.status : null
  countAnswer(tally, target.name, status, fault)
  if (fault) report(attack, target, mutated, `${fault.kind}: ${fault.problem}`)
  if (target.isByCookie && status !== null && isLetInFromElsewhere(mutated, status, browser.origin)) {
    tally.letInFromElsewhere += 1
    report(attack, target, mutated, `let in from elsewhere: ${status}`)
  }
  if (heard.kind === 'answer') target.hear?.(mutated.request, heard.answer)
  if (tally.sent % 10_000 === 0) attack.context.say(`${tally.sent} requests`)
  if (heard.kind !== 'answer' || !heard.isOpen || mutated.isFramingBroken) connections.drop(target.port)
}

function report({ context, tally }: Attack, { name }: Target, { request, mutation }: Mutated, told: string): void {
  const shown = Object.values(tally.faults).reduce((sum, count) => sum + count, tally.letInFromElsewhere)
  if (shown > SHOWN_FAULTS) return
  const bytes = toBytes(request)
    .toString('latin1')
    .replace(/(Bearer |svc_session=)[^\s;]+/g, '$1…')
    .slice(0, 700)
  context.say(`${name}, ${mutation}: ${told}\n    ${JSON.stringify(bytes)}`)
}
