import { createHandler, defineCapability, defineRuntime } from '@svc/sdk'
import { createFakeControlPlane } from '@svc/sdk/testing'
import { expect, test } from 'vitest'
import { fakeClock, NOW, RUNTIME_ID, SECRET } from '../support/signed-calls.ts'

const TOLERANCE_MS = 300_000

function setUp() {
  let runs = 0
  const clock = fakeClock()
  const pay = defineCapability({ name: 'pay', version: '1.0.0', handler: () => ++runs })
  const handler = createHandler({
    runtime: defineRuntime({ capabilities: [pay] }),
    ...{ runtimeId: RUNTIME_ID, secret: SECRET, clock },
  })
  return { pay, handler, clock, runs: () => runs }
}

// holds SIG-08
test('of 3,000 replays of one call, 1,000 at a time, one is accepted and the handler runs once', async () => {
  const { pay, handler, clock, runs } = setUp()
  // Never delivered: the original is one of the replays.
  const lost = createFakeControlPlane(() => Response.json({ error: 'lost' }, { status: 503 }), {
    runtimeId: RUNTIME_ID,
    secret: SECRET,
    clock,
  })
  await lost.call(pay, { amount: 5 })
  const overheard = lost.exchanges.at(-1)
  const attacker = createFakeControlPlane(handler, { runtimeId: RUNTIME_ID, secret: 'not known to an attacker', clock })

  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 1_000 }, () => attacker.replay(overheard)))
  }
  const answers = attacker.exchanges.map(({ status, result }) => `${status} ${result.ok ? 'ok' : result.code}`)
  expect(answers).toHaveLength(3_000)
  expect(answers.filter((answer) => answer === '200 ok')).toHaveLength(1)
  expect(answers.filter((answer) => answer === '401 nonce_replayed')).toHaveLength(2_999)
  expect(runs()).toBe(1)
}, 300_000)

test('a replay is refused for as long as there is time, by its nonce first and by its timestamp after', async () => {
  const { pay, handler, clock, runs } = setUp()
  const controlPlane = createFakeControlPlane(handler, { runtimeId: RUNTIME_ID, secret: SECRET, clock })
  expect(await controlPlane.call(pay, {})).toEqual({ ok: true, output: 1 })
  const [original] = controlPlane.exchanges
  for (let elapsedMs = 0; elapsedMs <= 3 * TOLERANCE_MS; elapsedMs += 500) {
    clock.set(NOW + elapsedMs)
    const code = elapsedMs <= TOLERANCE_MS ? 'nonce_replayed' : 'timestamp_outside_tolerance'
    expect(await controlPlane.replay(original)).toMatchObject({ ok: false, code })
  }
  expect(runs()).toBe(1)
})
