import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { createTestPlace, describeEngine } from '../support/engines.ts'
import { openStream } from '../support/event-stream.ts'
import { saying } from '../support/scene.ts'
import { startGatedEcho } from './gated-echo.ts'
import { ask, createOwner, publish } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { startServerProcess } from './server-process.ts'
import { until } from './until.ts'

const PRELOADED = new URL('./set-clock.mjs', import.meta.url).href

describeEngine('postgres', 'replicas whose machines’ clocks differ', (engine) => {
  async function prepare() {
    const { gate, double, endpoint } = await startGatedEcho()
    const { location } = await createTestPlace(engine)
    const environment = {
      DATABASE_URL: location,
      SVC_MASTER_KEY: randomBytes(32).toString('base64'),
      SVC_ALLOW_LOCAL_ENDPOINTS: '1',
      SVC_MODEL: 'openai-compatible:test-model',
      SVC_MODEL_BASE_URL: double.baseUrl,
    }
    const startAhead = async (seconds: number, stepMs = 0) => {
      const server = await startServerProcess({
        ...environment,
        SVC_OPS_PORT: '0',
        NODE_OPTIONS: `--import ${PRELOADED}`,
        TEST_CLOCK_AHEAD_MS: String(seconds * 1000),
        TEST_CLOCK_STEP_MS: String(stepMs),
      })
      const { 1: ops = '' } = await server.printed(/^ops +(http:\S+),/m)
      return { ...server, ops }
    }
    return { environment, gate, endpoint, startAhead, location }
  }

  test('break nothing of each other’s, however far they are off, and say how far that is', async () => {
    const { environment, gate, endpoint, startAhead, location } = await prepare()
    const right = await startServerHere(environment)
    const { apiKey } = await createOwner(environment, 'pro')
    const runtime = await publish(right.url, apiKey, endpoint)
    const stream = (url: string) => streamToItsEnd(url, runtime.publicKey)
    const streams = [stream(right.url), stream(right.url)]
    await gate.arrived(2)
    // At its start each looks for what nobody runs any more.
    const ahead = [-60, -5, 5, 60]
    const others = await Promise.all(ahead.map((seconds) => startAhead(seconds)))
    streams.push(...others.map(({ url }) => stream(url)))
    await gate.arrived(2 + others.length)
    const { db, close } = await openDatabase({ engine: 'postgres', url: location, onError: () => {} })
    onTestFinished(close)
    // Of 30 s by the database's clock, renewed every ten.
    const left = sql<number>`lease_until - extract(epoch from clock_timestamp()) * 1000`.as('left')
    const leases = await db.selectFrom('nodes').select(left).execute()
    const milliseconds = leases.map((lease) => Number(lease.left))
    expect(milliseconds.filter((ms) => ms > 15_000 && ms <= 30_500)).toHaveLength(1 + others.length)
    gate.open()
    for (const last of await Promise.all(streams)) expect(last).toMatchObject({ type: 'done', status: 'completed' })
    for (const [index, { ops, child, ended }] of others.entries()) {
      const seconds = ahead[index] ?? 0
      const { status, body } = await ask(`${ops}/ready`)
      const isFar = Math.abs(seconds) > 10
      expect([status, body]).toMatchObject([isFar ? 503 : 200, { checks: { clock: isFar ? 'off' : 'ok' } }])
      const metrics = await (await fetch(`${ops}/metrics`)).text()
      expect(Number(/^svc_clock_offset_seconds (\S+)/m.exec(metrics)?.[1])).toBeCloseTo(seconds, 0)
      child.kill('SIGTERM')
      expect((await ended).stderr).toContain('this machine’s clock and the database’s differ')
    }
  })

  test('that step while executions run move no lease, end no execution, and go out of service', async () => {
    const { environment, gate, endpoint, startAhead, location } = await prepare()
    const right = await startServerHere(environment)
    const stepping = await Promise.all([60, -60].map((seconds) => startAhead(0, seconds * 1000)))
    const { apiKey } = await createOwner(environment, 'pro')
    const { publicKey } = await publish(right.url, apiKey, endpoint)
    const all = [right, ...stepping]
    const streams = all.map(({ url }) => streamToItsEnd(url, publicKey))
    await gate.arrived(all.length)
    for (const { ops } of stepping) expect((await ask(`${ops}/ready`)).status).toBe(200)
    for (const { child } of stepping) child.kill('SIGUSR2')
    // It is noticed with the next renewal of the lease.
    for (const { ops } of stepping) {
      await until(async () => (await ask(`${ops}/ready`)).status !== 200)
      expect((await ask(`${ops}/ready`)).body).toMatchObject({ checks: { lease: 'held', clock: 'off' } })
    }
    gate.open()
    for (const last of await Promise.all(streams)) expect(last).toMatchObject({ type: 'done', status: 'completed' })
    for (const { url } of stepping) expect((await ask(`${url}/health`)).status).toBe(200)
    const { db, close } = await openDatabase({ engine: 'postgres', url: location, onError: () => {} })
    onTestFinished(close)
    expect(await db.selectFrom('nodes').select('node_id').execute()).toHaveLength(all.length)
  })
})

async function streamToItsEnd(url: string, key: string) {
  const stream = await openStream(`${url}/v1/runtime/execute`, { key, body: saying() })
  return (await stream.rest()).at(-1)
}
