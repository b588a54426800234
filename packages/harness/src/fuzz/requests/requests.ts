import { createClient } from '../../support/client.ts'
import { usageOf } from '../../support/process-usage.ts'
import type { Random } from '../../support/random.ts'
import type { Check, Scenario, ScenarioContext } from '../../support/scenario.ts'
import { faultOf } from '../support/judge-answer.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { type RawRequest, toBytes } from '../support/raw-request.ts'
import { errorLines, type Stage, setStage } from '../support/stage.ts'
import { type ApiOperation, readOperations } from './api-operations.ts'
import { type Mutated, mutate, unchanged } from './mutate.ts'
import { layScenery, ownBody, ownPath, type Scenery } from './scenery.ts'
import { countAnswer, judgeRun, newTally, type Tally } from './tally.ts'

const REQUESTS = 50_000
const CALLERS = 8
/** Keys get revoked and runtimes redeployed on the way: after so many requests a caller begins anew. */
const SCENERY_LASTS = 150
const SHOWN_FAULTS = 10
/** Until an operation has been carried out, most of its requests are good ones: behind a refusal there is nothing to try. */
const MUTATED_BEFORE = 0.2

interface Attack {
  stage: Stage
  context: ScenarioContext
  operations: readonly ApiOperation[]
  tally: Tally
  wanted: number
  /** Memory of the server before the first request. */
  beginningBytes: number
}

/** Every operation of the live description, under structured and byte fuzzing over raw connections. */
export const requests: Scenario = {
  name: 'requests',
  title: 'whatever is sent to any route is answered in the one envelope',
  engines: ['sqlite', 'postgres'],
  async run(context): Promise<readonly Check[]> {
    const stage = await setStage(context)
    stage.endpoint.failEvery(5)
    const wanted = context.count(REQUESTS, 400)
    const attack: Attack = {
      stage,
      context,
      operations: await operationsOf(stage),
      tally: newTally(),
      wanted,
      beginningBytes: usageOf(stage.server.pid).residentBytes,
    }
    await Promise.all(fork(context.random, CALLERS).map((random, caller) => call(attack, random, caller)))
    return judgeRun(attack.tally, await aftermath(attack))
  },
}

async function aftermath({ stage, operations, wanted, context, tally, beginningBytes }: Attack) {
  const endBytes = usageOf(stage.server.pid).residentBytes
  const client = createClient(stage.server.url, 1)
  const health = await client.send({ method: 'GET', path: '/health' })
  await client.close()
  const lines = errorLines(await stage.stop())
  for (const line of lines.slice(0, SHOWN_FAULTS)) context.say(`logged: ${line.slice(0, 600)}`)
  context.say(
    `answers by status: ${[...tally.statuses]
      .sort()
      .map((entry) => entry.join(': '))
      .join(', ')}`,
  )
  return {
    operationIds: operations.map(({ operationId }) => operationId),
    requestsWanted: wanted,
    isAlive: health.kind === 'answer' && health.status === 200,
    errorLines: lines.length,
    grownMb: (endBytes - beginningBytes) / 1024 / 1024,
  }
}

async function operationsOf(stage: Stage): Promise<ApiOperation[]> {
  const answer = await fetch(`${stage.server.url}/openapi.json`)
  return readOperations(await answer.json())
}

function fork(random: Random, count: number): Random[] {
  return Array.from({ length: count }, () => random.fork())
}

async function call(attack: Attack, random: Random, caller: number): Promise<void> {
  const { stage, operations, tally, wanted } = attack
  let connection = new RawConnection(stage.server.port)
  for (let serial = 0; tally.sent < wanted; serial += 1) {
    const ground = {
      apiKey: stage.owner.apiKey,
      endpoint: stage.endpoint.url,
      operations,
      serial: serial * CALLERS + caller,
    }
    if (!connection.isUsable) connection = new RawConnection(stage.server.port)
    const scenery = await layScenery(connection, ground)
    for (let sent = 0; sent < SCENERY_LASTS && tally.sent < wanted; sent += 1) {
      const operation = operations[(serial * SCENERY_LASTS + sent + caller) % operations.length]
      if (operation === undefined) throw new Error('the API describes no operation')
      connection = await sendOne(attack, connection, { operation, scenery, random })
    }
  }
  connection.destroy()
}

interface Draw {
  operation: ApiOperation
  scenery: Scenery
  random: Random
}

/** Sends one drawn request and returns the connection for the next one. */
async function sendOne(attack: Attack, connection: RawConnection, draw: Draw): Promise<RawConnection> {
  const { tally } = attack
  const { operation, random } = draw
  const good = goodRequest(draw)
  const isEntered = tally.served.has(operation.operationId) || random.chance(MUTATED_BEFORE)
  const mutated = isEntered ? mutate(good, random, operation.queryParameters) : unchanged(good)
  const isHead = mutated.request.method === 'HEAD'
  const heard = await connection.exchange(toBytes(mutated.request), { isHead })
  const fault = faultOf(heard, {
    mayFailAsCapability: operation.operationId === 'callCapability',
    mayCloseUnanswered: mutated.isFramingBroken,
    isHead,
    insides: [attack.stage.store.location],
    ownersInsides: [new URL(attack.stage.endpoint.url).host],
  })
  countAnswer(tally, operation.operationId, heard.kind === 'answer' ? heard.answer.status : null, fault)
  if (fault) report(attack, operation, mutated, `${fault.kind}: ${fault.problem}`)
  if (tally.sent % 10_000 === 0) attack.context.say(`${tally.sent} requests`)
  const goesOn = heard.kind === 'answer' && heard.isOpen && !mutated.isFramingBroken && connection.isUsable
  if (goesOn) return connection
  connection.destroy()
  return new RawConnection(attack.stage.server.port)
}

function goodRequest({ operation, scenery, random }: Draw): RawRequest {
  const key = random.chance(0.85) ? scenery.keys[operation.plane] : drawKey(scenery, random)
  const body = operation.example === undefined ? null : Buffer.from(JSON.stringify(ownBody(operation.example, scenery)))
  return {
    method: operation.method,
    target: ownPath(operation, scenery),
    headers: [
      ['host', '127.0.0.1'],
      ...(key === undefined ? [] : [['authorization', `Bearer ${key}`] as const]),
      ...(body === null ? [] : [['content-type', 'application/json'] as const]),
    ],
    body,
  }
}

/** A credential of another plane, none, or one that never was. */
function drawKey({ keys }: Scenery, random: Random): string | undefined {
  const { accountKey, deployKey, publicKey } = keys
  const cut = accountKey?.slice(0, -1)
  return random.pick([undefined, accountKey, deployKey, publicKey, cut, `${deployKey}x`, 'x', 'svc_ak_', 'a b'])
}

function report(
  { context, tally }: Attack,
  { operationId }: ApiOperation,
  { request, mutation }: Mutated,
  told: string,
) {
  const shown = Object.values(tally.faults).reduce((sum, count) => sum + count, 0)
  if (shown > SHOWN_FAULTS) return
  const bytes = toBytes(request)
    .toString('latin1')
    .replace(/Bearer \S+/g, 'Bearer …')
    .slice(0, 700)
  context.say(`${operationId}, ${mutation}: ${told}\n    ${JSON.stringify(bytes)}`)
}
