import { setTimeout as pause } from 'node:timers/promises'
import { type CreatedRuntime, RotatedSecret } from '@svc/contract'
import { type Client, createClient } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'
import { atLeast, type Check, counted, exactly, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import { startModelDouble } from '../model-double.ts'
import { playSlowly, playWhole, speakTurn } from '../model-turn.ts'
import { readCalls, readExecutions, runningAfter } from '../rows.ts'
import { createExecuteCallers, type ExecuteCallers } from '../streams.ts'
import { addRuntime, openWorld, type World } from '../world.ts'
import { judgeRotation, type Retirement } from './judge.ts'
import { RECEIVER_STYLES, type Receiver, startReceiver } from './receivers.ts'

/** Over both engines 10,000 calls. */
const CALLS = 5_000
const CALL_EVERY_MS = 20
/** One call in so many is made by an execution that began a second earlier. */
const EXECUTE_EVERY = 8
const GRACE_SECONDS = 6
/** How long before the end of a grace every receiver has changed over, however slow the machine is. */
const SPARE_MS = 2_500
const ROTATE_EVERY_MS = 7_500
/** One rotation in so many is followed by a second one within a second. */
const TWICE_EVERY = 2

const USAGE = { inputTokens: 20, outputTokens: 8 }
const ASKING = speakTurn({ text: ['Let ', 'me ', 'see.'], toolCalls: [{ name: 'act' }] }, USAGE)
const DONE = speakTurn({ text: 'Done.' }, USAGE)

interface Pair {
  runtime: CreatedRuntime
  receiver: Receiver
  retirements: Retirement[]
  /** The secrets that there were so far. */
  secrets: string[]
}

/** Owners who change their signing secret, each in a way of their own, while calls come in. */
export const rotation: Scenario = {
  name: 'rotation',
  title: 'Signing secrets are rotated, also twice within a second, at 50 calls a second: no call fails',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const double = await startModelDouble((_, index) => (index === 0 ? playSlowly(ASKING, 120) : playWhole(DONE)))
    context.onEnd(double.close)
    const receivers = await Promise.all(RECEIVER_STYLES.map(startReceiver))
    for (const receiver of receivers) context.onEnd(receiver.close)
    const world = await openWorld(context, {
      endpoint: 'http://127.0.0.1:9',
      runtimeCount: 1,
      variables: { ...double.serverEnv, SVC_LIMIT_ENDPOINT_CALLS: '500' },
    })
    const pairs = await Promise.all(receivers.map((receiver) => introduce(world, receiver)))
    const client = createClient(world.server.url)
    const callers = createExecuteCallers(world.server.url)
    context.onEnd(() => Promise.all([client.close(), callers.close()]))
    const rotating = rotateUntilDone(context, { world, client, pairs })
    const answers = await callAll(context, { client, callers, pairs })
    const rotationCount = await rotating()
    await runningAfter(world.store, 10_000)
    const calls = await readCalls(world.store)
    for (const { error } of calls.filter(({ status }) => status !== 'completed').slice(0, 5)) context.say(error ?? '')
    const found = judgeRotation({
      answers,
      receivers: await Promise.all(
        pairs.map(async ({ receiver, retirements }) => ({ arrivals: await receiver.arrivals(), retirements })),
      ),
      rows: await readExecutions(world.store),
      calls,
    })
    return checksOf(found, { callCount: answers.length, rotationCount })
  },
}

async function introduce({ server, owner }: World, receiver: Receiver): Promise<Pair> {
  const runtime = await addRuntime(server.url, owner, receiver.url)
  receiver.introduce(runtime.runtimeId, runtime.secret)
  return { runtime, receiver, retirements: [], secrets: [runtime.secret] }
}

interface Doors {
  client: Client
  callers: ExecuteCallers
  pairs: readonly Pair[]
}

// At an even pace, whatever becomes of the calls before.
async function callAll(context: ScenarioContext, doors: Doors): Promise<{ isGood: boolean }[]> {
  const count = context.count(CALLS, 150)
  const startedAt = performance.now()
  const answers: Promise<{ isGood: boolean }>[] = []
  for (let index = 0; index < count; index += 1) {
    await pause(Math.max(0, startedAt + index * CALL_EVERY_MS - performance.now()))
    const pair = doors.pairs[index % doors.pairs.length]
    if (pair) answers.push(callOnce(doors, pair, index))
    if ((index + 1) % 1_000 === 0) context.say(`${index + 1} of ${count} calls`)
  }
  return Promise.all(answers)
}

async function callOnce({ client, callers }: Doors, { runtime }: Pair, index: number): Promise<{ isGood: boolean }> {
  const { publicKey: key, runtimeId } = runtime
  if (Math.floor(index / RECEIVER_STYLES.length) % EXECUTE_EVERY === 0) {
    const { told } = await callers.execute({ key, tag: `r${index}`, isStream: index % 2 === 0 })
    return { isGood: told?.status === 'completed' }
  }
  const heard =
    index % 2 === 0
      ? await client.send({ method: 'POST', path: `/v1/capabilities/${runtimeId}/act`, body: { input: {} } })
      : await client.send({
          method: 'POST',
          path: '/v1/runtime/capability',
          key,
          body: { capability: 'act', input: {} },
        })
  return { isGood: heard.kind === 'answer' && heard.status === 200 && /"output":"done"/.test(heard.text) }
}

interface Rotating {
  world: World
  client: Client
  pairs: readonly Pair[]
}

/** Rotates every runtime's secret again and again; returns what stops that and tells how many rotations there were. */
function rotateUntilDone(context: ScenarioContext, rotating: Rotating): () => Promise<number> {
  let isOver = false
  let rotationCount = 0
  const loops = rotating.pairs.map(async (pair, position) => {
    const random = context.random.fork()
    await pause(200 + position * 100)
    for (let round = 0; !isOver; round += 1) {
      const endsAt = performance.now() + ROTATE_EVERY_MS
      const isTwice = round % TWICE_EVERY === 1
      const made = await rotateOnce(rotating, pair, { random, isTwice })
      rotationCount += made
      while (!isOver && performance.now() < endsAt) await pause(50)
    }
  })
  return async () => {
    isOver = true
    await Promise.all(loops)
    return rotationCount
  }
}

async function rotateOnce(
  rotating: Rotating,
  pair: Pair,
  { random, isTwice }: { random: Random; isTwice: boolean },
): Promise<number> {
  if (isTwice) {
    // One previous secret is kept: whoever rotates again has taken up the first new one.
    pair.receiver.hold([await mint(rotating, pair)])
    await pause(random.int(100, 900))
  }
  const old = pair.secrets.at(-1) ?? ''
  const secret = await mint(rotating, pair)
  const graceMs = GRACE_SECONDS * 1000
  switch (pair.receiver.style) {
    case 'strict, new at once':
      pair.receiver.hold([secret])
      break
    case 'sdk, both in a list':
      pair.receiver.hold([secret, old])
      break
    case 'sdk, old until the end':
      await pause(graceMs - SPARE_MS)
      pair.receiver.hold([secret])
      break
    case 'strict, at any time':
      await pause(random.int(0, graceMs - SPARE_MS))
      pair.receiver.hold([secret])
      break
    default:
      pair.receiver.style satisfies never
  }
  return isTwice ? 2 : 1
}

async function mint({ world, client }: Rotating, pair: Pair): Promise<string> {
  const heard = await client.send({
    method: 'POST',
    path: `/v1/runtimes/${pair.runtime.runtimeId}/rotate-secret`,
    key: world.owner.apiKey,
    body: { graceSeconds: GRACE_SECONDS },
  })
  if (heard.kind !== 'answer' || heard.status !== 200) throw new Error('a secret could not be rotated')
  const { secret, previousSecretExpiresAt } = RotatedSecret.parse(JSON.parse(heard.text))
  const generation = pair.secrets.length - 1
  // A second rotation ends the oldest at once: only one previous secret works.
  pair.retirements.push({ generation, expiresAt: Date.parse(previousSecretExpiresAt ?? '') })
  pair.secrets.push(secret)
  pair.receiver.learn(secret)
  return secret
}

function checksOf(
  found: ReturnType<typeof judgeRotation>,
  { callCount, rotationCount }: { callCount: number; rotationCount: number },
): Check[] {
  return [
    atLeast('rotations while calls came in', rotationCount, RECEIVER_STYLES.length),
    counted('calls', callCount),
    atLeast('requests that were refused first and signed anew', found.signedAnew, 1),
    exactly('answers of a failed call', found.failedAnswers, 0),
    exactly('capability calls stored as failed', found.failedCalls, 0),
    exactly('calls that a receiver took twice', found.repeated, 0),
    exactly('requests signed with no secret that there ever was', found.signedByNobody, 0),
    exactly('requests signed with a secret whose grace had ended', found.signedTooLate, 0),
    exactly('such requests that were accepted', found.acceptedTooLate, 0),
  ]
}
