import { SIGNATURE_HEADERS } from '@svc/contract'
import { createHandler, createMemoryNonceStore, defineCapability, defineRuntime } from '@svc/sdk'
import { expect, test } from 'vitest'
import { MUTATIONS, type Mutation, resigned, type SentCall, wireForm } from '../support/mutations.ts'
import { type Random, seededRandom, TEST_SEED } from '../support/seeded-random.ts'
import { bytesOf, callBody, fakeClock, NOW, RUNTIME_ID, SECRET } from '../support/signed-calls.ts'

const OLD_SECRET = 'Zk3Rr8yHqLw1vT6nXc0mPb5sJd9fGa2eUo7iKt4hYxQ'
const VALID_CALLS = 200
const MUTANTS = 5_000
const AT_ONCE = 250

// holds SIG-12
test('of 5,000 mutated calls none is accepted and none throws, each is refused as stated', async () => {
  const random = seededRandom(TEST_SEED)
  process.stdout.write(`mutated calls: seed ${TEST_SEED}\n`)
  const { handler, runs } = setUp()
  const valid = Array.from({ length: VALID_CALLS }, (_, index) => validCall(index, random))
  const genuine = new Set(valid.map(wireForm))
  const seen = new Set<string>()

  for (let sent = 0; sent < MUTANTS; sent += AT_ONCE) {
    const mutants = Array.from({ length: AT_ONCE }, () => mutant(valid, random, genuine))
    const answers = await Promise.all(mutants.map(({ call }) => answerTo(handler, call)))
    for (const [index, { mutation, call }] of mutants.entries()) {
      const answer = answers[index]
      if (mutation.refusals.some((code) => answer === `401 {"error":"${code}"}`)) seen.add(mutation.kind)
      else
        expect.fail(
          `seed ${TEST_SEED}, after ${sent} calls: ${mutation.kind} was answered ${answer}: ${wireForm(call)}`,
        )
    }
  }
  expect(runs()).toBe(0)
  expect([...seen].sort()).toEqual(MUTATIONS.map(({ kind }) => kind).sort())

  // The calls that they were made from pass now, so it was the mutations that were refused, and no nonce was used up.
  const answers = await Promise.all(valid.map((call) => answerTo(handler, call)))
  expect(answers.filter((answer) => answer.startsWith('200 {"output":'))).toHaveLength(VALID_CALLS)
  expect(runs()).toBe(VALID_CALLS)
}, 120_000)

function setUp() {
  let runs = 0
  const pay = defineCapability({ name: 'pay', version: '1.0.0', handler: () => ++runs })
  const handler = createHandler({
    runtime: defineRuntime({ capabilities: [pay] }),
    ...{ runtimeId: RUNTIME_ID, secret: [SECRET, OLD_SECRET], clock: fakeClock() },
    nonceStore: createMemoryNonceStore({ clock: fakeClock(NOW - 600_000) }),
  })
  return { handler, runs: () => runs }
}

function validCall(index: number, random: Random): SentCall {
  const input = { amount: index, to: random.pick(['Ada', 'Zoë', '李', '👩‍🚀', '']), note: 'x'.repeat(random.int(400)) }
  const unsigned = {
    runtimeId: [RUNTIME_ID],
    timestamp: [String(NOW - 200_000 + 1_500 * index)],
    nonce: [Buffer.from(Array.from({ length: 16 }, () => random.int(256))).toString('base64url')],
    signature: [],
    body: bytesOf(callBody('pay', { input })),
    secret: index % 2 === 0 ? SECRET : OLD_SECRET,
  }
  return resigned(unsigned, {})
}

// A mutation may by chance change nothing, or make one valid call of another.
function mutant(
  valid: readonly SentCall[],
  random: Random,
  genuine: ReadonlySet<string>,
): { mutation: Mutation; call: SentCall } {
  while (true) {
    const mutation = random.pick(MUTATIONS)
    const call = mutation.mutate(random.pick(valid), random, valid)
    if (!genuine.has(wireForm(call))) return { mutation, call }
  }
}

async function answerTo(handler: (request: Request) => Promise<Response>, call: SentCall): Promise<string> {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const field of ['runtimeId', 'timestamp', 'nonce', 'signature'] as const) {
    for (const value of call[field]) headers.append(SIGNATURE_HEADERS[field], value)
  }
  try {
    const response = await handler(new Request('http://localhost/svc', { method: 'POST', headers, body: call.body }))
    return `${response.status} ${await response.text()}`
  } catch (error) {
    return `nothing, it threw ${String(error)}`
  }
}
