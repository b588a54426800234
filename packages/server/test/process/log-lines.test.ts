import { randomBytes } from 'node:crypto'
import { startOwnerEndpoint } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { VERSION } from '../../src/lib/version.ts'
import { createTestPlace, describeEngine } from '../support/engines.ts'
import { startPostgresRelay } from '../support/postgres-relay.ts'
import { ask, createOwner, publish } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { createFolder, startServerProcess } from './server-process.ts'
import { until } from './until.ts'

const Line = z.looseObject({ level: z.number(), time: z.number(), msg: z.string() })

function linesOf(stderr: string) {
  return (
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => Line.parse(JSON.parse(line)))
      // Pages are built apart from the server.
      .filter(({ msg }) => !msg.includes('is not built'))
  )
}

const secrets = () => ({
  SVC_MASTER_KEY: randomBytes(32).toString('base64'),
  OPENAI_API_KEY: `sk-${randomBytes(16).toString('hex')}`,
  STRIPE_SECRET_KEY: `sk_test_${randomBytes(12).toString('hex')}`,
})

test('a server says in one line each that it starts, is ready, drains and has stopped, and no secret', async () => {
  const hidden = secrets()
  const settings = { SVC_MODEL: 'openai:gpt-test', SVC_LIMIT_STEPS: '7', SVC_BASE_URL: 'https://svc.example.com' }
  const server = await startServerProcess({ ...settings, ...hidden, SVC_DATA_DIR: createFolder(), SVC_OPS_PORT: '0' })
  server.child.kill('SIGTERM')
  const { code, stderr } = await server.ended
  expect(code).toBe(0)
  const [start, ...others] = linesOf(stderr)
  expect(start).toMatchObject({
    msg: 'starting',
    engine: 'sqlite',
    nodejs: process.version,
    nodeId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    version: VERSION,
    ...settings,
    SVC_LIMIT_STEPS: 7,
    SVC_TRUST_PROXY: 0,
  })
  expect(others).toMatchObject([
    { msg: 'ready', url: server.url, opsUrl: expect.stringMatching(/^http:/) },
    { msg: 'draining', requests: 0, executions: 0 },
    { msg: 'stopped' },
  ])
  expect(new Set([start, ...others].map((line) => line?.['nodeId'])).size).toBe(1)
  for (const secret of Object.values(hidden)) expect(stderr).not.toContain(secret)
})

describeEngine('postgres', 'two replicas', (engine) => {
  async function prepare() {
    const { location } = await createTestPlace(engine)
    const SVC_MASTER_KEY = randomBytes(32).toString('base64')
    return { DATABASE_URL: location, SVC_MASTER_KEY, SVC_MODEL: 'demo:rules', SVC_ALLOW_LOCAL_ENDPOINTS: '1' }
  }

  test('that are set up differently warn of each other, naming the setting and both values', async () => {
    const environment = await prepare()
    const other = { ...environment, SVC_LIMIT_STEPS: '7', SVC_BASE_URL: 'https://svc.example.com' }
    const often = { renewalMs: 100 }
    const servers = await Promise.all([environment, other].map((each) => startServerHere(each, often)))
    // Each looks at the other's when it renews its lease.
    const hasAll = (log: string) =>
      ['SVC_LIMIT_STEPS', 'SVC_BASE_URL'].every((name) => log.includes(`"setting":"${name}"`))
    await until(async () => servers.every(({ log }) => hasAll(log())))
    const told = []
    for (const server of servers) {
      await server.stop()
      const text = server.log()
      for (const secret of [environment.DATABASE_URL, environment.SVC_MASTER_KEY]) expect(text).not.toContain(secret)
      const warnings = linesOf(text).filter(({ msg }) => msg === 'another replica has other settings')
      told.push(warnings.map(({ level, setting, here, there }) => ({ level, setting, here, there })))
    }
    const ofFirst = [
      { level: 40, setting: 'SVC_BASE_URL', here: 'default', there: other.SVC_BASE_URL },
      { level: 40, setting: 'SVC_LIMIT_STEPS', here: 'default', there: 7 },
    ]
    const ofSecond = ofFirst.map(({ here, there, ...rest }) => ({ ...rest, here: there, there: here }))
    expect(told[0]).toEqual(expect.arrayContaining(ofFirst))
    expect(told[1]).toEqual(expect.arrayContaining(ofSecond))
    expect(told.map(({ length }) => length)).toEqual([2, 2])
  })

  test('whose database is away say so once a second at most, with all that they met', async () => {
    const environment = await prepare()
    const endpoint = await startOwnerEndpoint({ handle: { echo: () => ({ output: null }) } })
    onTestFinished(() => endpoint.close())
    const relay = await startPostgresRelay(environment.DATABASE_URL)
    const server = await startServerHere({ ...environment, DATABASE_URL: relay.url })
    const { apiKey } = await createOwner(environment, 'enterprise')
    const { runtimeId } = await publish(server.url, apiKey, endpoint)
    const call = async () => (await ask(`${server.url}/v1/capabilities/${runtimeId}/echo`, { body: {} })).status
    const list = async () => (await ask(`${server.url}/v1/runtimes`, { key: apiKey })).status
    const statuses: number[] = []
    const callFor = async (ms: number) => {
      const startedAt = performance.now()
      while (performance.now() - startedAt < ms) {
        statuses.push(...(await Promise.all([call(), call(), call(), call(), list(), list()])))
      }
    }
    relay.shut('now')
    await callFor(3_000)
    relay.open()
    // The last line of an outage comes a second after the one before it.
    await callFor(2_500)
    await server.stop()
    const lines = linesOf(server.log())
    const told = lines.filter(({ msg }) => msg === 'the database was busy or away')
    const refused = statuses.filter((status) => status === 500).length
    expect(refused).toBeGreaterThan(20)
    expect(told.map(({ requests = 0 }) => Number(requests)).reduce((a, b) => a + b, 0)).toBe(refused)
    const pauses = told.slice(1).map(({ time }, index) => time - (told[index]?.time ?? 0))
    expect(Math.min(...pauses)).toBeGreaterThan(900)
    expect(told.length).toBeGreaterThan(1)
    // Beside these a line for each request, as ever, and those of the server's life.
    const others = lines.filter(({ msg }) => !['the database was busy or away', 'request'].includes(msg))
    expect(others.map(({ msg }) => msg)).toEqual(['starting', 'ready', 'draining', 'stopped'])
    const reached = lines.filter(({ msg, status }) => msg === 'request' && status === 200)
    expect(reached.some((line) => line['runtimeId'] === runtimeId)).toBe(true)
  })
})
