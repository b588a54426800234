import { setTimeout as pause } from 'node:timers/promises'
import { type CreatedRuntime, RotatedSecret } from '@svc/contract'
import { createClient } from '../support/client.ts'
import { playSlowly, playWhole, speakTurn, startModelDouble } from '../support/model-double.ts'
import type { Random } from '../support/random.ts'
import { atLeast, type Check, exactly, none, type Scenario, type ScenarioContext } from '../support/scenario.ts'
import { PATIENT } from '../support/server.ts'
import { addRuntime, brokerPath, openWorld, post, type World } from '../support/world.ts'
import { execute } from './executes.ts'
import { type Arrival, RECEIVER_STYLES, type Receiver, startReceiver } from './receivers.ts'
import { readCalls, readExecutions, runningAfter, type StoredCall } from './rows.ts'

/** Over both engines 10,000 calls. */
const CALLS = 5_000
const CALL_EVERY_MS = 20
/** One call in so many is made by an execution that began a second earlier. */
const EXECUTE_EVERY = 8
const GRACE_SECONDS = 6
/** How long before the end of a grace every receiver has changed over, however slow the machine is. */
const SPARE_MS = 2_500
const ROTATE_EVERY_MS = 7_500
// Between the look at the clock that chooses the secret and the one that stamps the signature.
const STAMPING_MS = 250

const ASKING = speakTurn({ text: ['Let ', 'me ', 'see.'], toolCalls: [{ name: 'act' }] })
const DONE = speakTurn({ text: 'Done.' })

export const rotation: Scenario = {
  name: 'rotation',
  title: 'Signing secrets are rotated, also twice within a second, at 50 calls a second: no call fails',
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const double = await startModelDouble(context, ({ index }) =>
      index === 0 ? playSlowly(ASKING, 120) : playWhole(DONE),
    )
    const variables = { ...PATIENT, ...double.variables, SVC_LIMIT_ENDPOINT_CALLS: '500' }
    const world = await openWorld(context, { variables })
    const pairs: Pair[] = []
    for (const style of RECEIVER_STYLES) {
      const receiver = await startReceiver(context, style)
      const runtime = await addRuntime(world, receiver.url)
      receiver.hold(runtime.runtimeId, runtime.secret)
      pairs.push({ runtime, receiver, secrets: [runtime.secret], expiresAt: [] })
    }
    const stopRotating = rotateUntilStopped(context, world, pairs)
    const answers = await callAll(context, world, pairs)
    const rotations = await stopRotating()
    await runningAfter(world.store, 10_000)
    const rows = await readExecutions(world.store)
    const receivers = pairs.map(async ({ receiver, secrets, expiresAt }) => ({
      arrivals: await receiver.arrivals(secrets),
      expiresAt,
    }))
    return [
      atLeast('rotations while calls came in', rotations, RECEIVER_STYLES.length),
      exactly('answers of a failed call', answers.filter((isGood) => !isGood).length, 0),
      ...judgeRotation({ receivers: await Promise.all(receivers), rows, calls: await readCalls(world.store) }),
    ]
  },
}

interface Pair {
  runtime: CreatedRuntime
  receiver: Receiver
  /** All that there were so far, and when those that gave way may sign no more, epoch milliseconds. */
  secrets: string[]
  expiresAt: number[]
}

// At an even rate, whether the calls before were answered or not.
async function callAll(context: ScenarioContext, { server }: World, pairs: readonly Pair[]): Promise<boolean[]> {
  const client = createClient(server.url, null)
  const callOnce = async ({ runtime }: Pair, index: number): Promise<boolean> => {
    const { publicKey: key } = runtime
    const isEven = index % 2 === 0
    if (Math.floor(index / RECEIVER_STYLES.length) % EXECUTE_EVERY === 0)
      return (await execute(client, { key, tag: `r${index}`, isStream: isEven })).told?.status === 'completed'
    const atBroker = { path: brokerPath(runtime), body: { input: {} } }
    const ofPage = { path: '/v1/runtime/capability', key, body: { capability: 'act', input: {} } }
    const { status, text } = await client.send(isEven ? atBroker : ofPage)
    return status === 200 && /"output":"done"/.test(text)
  }
  const startedAt = performance.now()
  const answers: Promise<boolean>[] = []
  for (let index = 0; index < context.count(CALLS, 150); index += 1) {
    await pause(Math.max(0, startedAt + index * CALL_EVERY_MS - performance.now()))
    const pair = pairs[index % pairs.length]
    if (pair) answers.push(callOnce(pair, index))
  }
  return Promise.all(answers)
}

/** Rotates every runtime's secret again and again; returns what stops that and tells how many rotations there were. */
function rotateUntilStopped({ random }: ScenarioContext, world: World, pairs: readonly Pair[]): () => Promise<number> {
  const over = new AbortController()
  let rotations = 0
  const loops = pairs.map(async (pair, position) => {
    const own = random.fork()
    await pause(200 + position * 100)
    for (let round = 0; !over.signal.aborted; round += 1) {
      const resting = pause(ROTATE_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined)
      const made = await rotateOnce(world, pair, own, round % 2 === 1)
      rotations += made
      await resting
    }
  })
  return async () => {
    over.abort()
    await Promise.all(loops)
    return rotations
  }
}

async function rotateOnce(world: World, pair: Pair, random: Random, isTwice: boolean): Promise<number> {
  const { receiver, runtime } = pair
  const hold = (...secrets: string[]) => receiver.hold(runtime.runtimeId, ...secrets)
  if (isTwice) {
    // One previous secret is kept: an owner who rotates again has taken up the first new one.
    hold(await mint(world, pair))
    await pause(random.int(100, 900))
  }
  const old = pair.secrets.at(-1) ?? ''
  const secret = await mint(world, pair)
  const latestMs = GRACE_SECONDS * 1_000 - SPARE_MS
  if (receiver.style === 'sdk, old until the end') await pause(latestMs)
  if (receiver.style === 'strict, at any time') await pause(random.int(0, latestMs))
  if (receiver.style === 'sdk, both in a list') hold(secret, old)
  else hold(secret)
  return isTwice ? 2 : 1
}

async function mint({ server, owner }: World, { runtime, secrets, expiresAt }: Pair): Promise<string> {
  const url = `${server.url}/v1/runtimes/${runtime.runtimeId}/rotate-secret`
  const rotated = RotatedSecret.parse(await post(url, owner.apiKey, { graceSeconds: GRACE_SECONDS }))
  expiresAt.push(Date.parse(rotated.previousSecretExpiresAt ?? ''))
  secrets.push(rotated.secret)
  return rotated.secret
}

export interface RotationHistory {
  /** `expiresAt`: by generation, from when on nothing may be signed with it. */
  receivers: readonly { arrivals: readonly Arrival[]; expiresAt: readonly number[] }[]
  rows: readonly { executionId: string; kind: string }[]
  calls: readonly Pick<StoredCall, 'status' | 'error'>[]
}

export function judgeRotation({ receivers, rows, calls }: RotationHistory): Check[] {
  const kinds = new Map(rows.map(({ executionId, kind }) => [executionId, kind]))
  const arrivals = receivers.flatMap((receiver) => receiver.arrivals)
  const accepted = arrivals.filter(({ isAccepted }) => isAccepted)
  const late = receivers.flatMap((receiver) =>
    receiver.arrivals.filter(({ generation, signedAt }) => {
      return signedAt > (receiver.expiresAt[generation] ?? Number.POSITIVE_INFINITY) + STAMPING_MS
    }),
  )
  const failed = calls.filter(({ status }) => status !== 'completed')
  const repeated = accepted.length - new Set(accepted.map(({ callId }) => callId)).size
  // An execution that began before the rotation may still try the secret that it began with, and is refused.
  const fresh = late.filter(({ executionId }) => kinds.get(executionId) !== 'execute')
  return [
    atLeast('requests that were refused first and signed anew', arrivals.length - accepted.length, 1),
    none(
      'capability calls stored as failed',
      failed.map(({ error }) => error ?? ''),
    ),
    exactly('calls that a receiver took twice', repeated, 0),
    exactly(
      'requests signed with no secret that there ever was',
      arrivals.filter((one) => one.generation === -1).length,
      0,
    ),
    exactly('requests signed with a secret whose grace had ended', fresh.length, 0),
    exactly('such requests that were accepted', late.filter(({ isAccepted }) => isAccepted).length, 0),
  ]
}
