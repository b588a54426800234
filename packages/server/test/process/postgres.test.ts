import { randomBytes } from 'node:crypto'
import { startOwnerEndpoint } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { createEmptyTestPlace, describeEngine } from '../support/engines.ts'
import { startPostgresRelay } from '../support/postgres-relay.ts'
import { ask, createOwner, publish } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { createFolder, failToStart, startServerProcess } from './server-process.ts'

describeEngine('postgres', 'servers on PostgreSQL', (engine) => {
  async function prepare() {
    const { location } = await createEmptyTestPlace(engine)
    return {
      DATABASE_URL: location,
      SVC_MASTER_KEY: randomBytes(32).toString('base64'),
      SVC_ALLOW_LOCAL_ENDPOINTS: '1',
      SVC_MODEL: 'demo:rules',
    }
  }

  // holds LIM-07, OPS-04
  test('two that start at once on an empty database migrate it once, share one quota to the unit, and serve what either was given', async () => {
    const environment = await prepare()
    const endpoint = await startOwnerEndpoint({ handle: { echo: (call) => ({ output: call.input }) } })
    onTestFinished(() => endpoint.close())
    // One of them is a program, so that the two share nothing but the database.
    const servers = await Promise.all([startServerProcess(environment), startServerHere(environment)])
    const [first, second] = servers
    const { host, pathname } = new URL(environment.DATABASE_URL)
    for (const { summary } of servers) {
      expect(summary).toContain(`PostgreSQL, ${host}${pathname}`)
      // Where the data lies, but not who opens it.
      expect(summary).not.toContain('@')
    }
    const { apiKey } = await createOwner(environment)
    const { runtimeId } = await publish(first.url, apiKey, endpoint)
    const call = ({ url }: { url: string }, text: string) =>
      ask(`${url}/v1/capabilities/${runtimeId}/echo`, { body: { input: { text } } })
    // Deployed through the first, and served by the second at once.
    const served = await call(second, 'a')
    expect(served).toMatchObject({ status: 200, body: { output: { text: 'a' } } })
    const others = Array.from({ length: 299 }, (_, index) => call(index % 3 === 0 ? second : first, String(index)))
    const answers = [served, ...(await Promise.all(others))]
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(50)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(250)
    expect(endpoint.effects).toHaveLength(50)
    first.child.kill('SIGTERM')
    await second.stop()
    expect(await first.ended).toMatchObject({ code: 0 })
  })

  test('a replica with another master key is refused, until the ring has the one that the database was written with', async () => {
    const environment = await prepare()
    const [old, other] = [environment.SVC_MASTER_KEY, randomBytes(32).toString('base64')]
    const under = (ring: string) => ({ ...environment, SVC_MASTER_KEY: ring })
    const first = await startServerHere(environment)
    const { apiKey } = await createOwner(environment)
    const { code, stderr } = await failToStart(under(other))
    expect(code).toBe(1)
    expect(stderr).toMatch(/^svc could not start: The master key is not the one .*: compare SVC_MASTER_KEY.*\n$/m)
    expect(stderr).not.toContain(other)
    await expect(createOwner(under(other))).rejects.toThrow('The master key is not the one')
    // Added behind the old one it seals nothing yet, and cannot do alone.
    await startServerHere(under(`${old},${other}`))
    await expect(startServerHere(under(other))).rejects.toThrow('The master key is not the one')
    const both = await startServerHere(under(`${other},${old}`))
    for (const { url } of [first, both]) {
      expect((await ask(`${url}/v1/runtimes`, { key: apiKey })).status).toBe(200)
    }
    await startServerHere(under(other))
  })

  test('a database of an earlier release is refused to another master key, too', async () => {
    const environment = await prepare()
    const endpoint = await startOwnerEndpoint({ handle: {} })
    onTestFinished(() => endpoint.close())
    const { url } = await startServerHere(environment)
    const { apiKey } = await createOwner(environment)
    await publish(url, apiKey, endpoint)
    const database = await openDatabase({ engine: 'postgres', url: environment.DATABASE_URL, onError: () => {} })
    onTestFinished(() => database.close())
    await database.db.deleteFrom('master_key_check').execute()
    const SVC_MASTER_KEY = randomBytes(32).toString('base64')
    const refused = startServerHere({ ...environment, SVC_MASTER_KEY })
    await expect(refused).rejects.toThrow('The master key is not the one')
    expect(await createOwner(environment)).toMatchObject({ ownerId: expect.any(String) })
  })

  test('a server that is told to stop while its database is away ends all the same, and says what it left', async () => {
    const environment = await prepare()
    const relay = await startPostgresRelay(environment.DATABASE_URL)
    const server = await startServerHere({ ...environment, DATABASE_URL: relay.url })
    relay.shut('now')
    await server.stop()
    const lines = server
      .log()
      .split('\n')
      .filter((line) => line.includes('could not be ended'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, part: 'lease' }])
  })

  test('a server leaves nothing on its disk, and does not print the password of its database', async () => {
    const environment = await prepare()
    const url = new URL(environment.DATABASE_URL)
    url.password = 'canary-password'
    url.port = '1'
    const SVC_DATA_DIR = `${createFolder()}/untouched`
    const { code, stdout, stderr } = await failToStart({ ...environment, DATABASE_URL: url.href, SVC_DATA_DIR })
    expect(code).toBe(1)
    expect(stdout + stderr).not.toContain('canary-password')
    const keyless = startServerHere({ ...environment, SVC_MASTER_KEY: '', SVC_DATA_DIR })
    await expect(keyless).rejects.toThrow('SVC_MASTER_KEY')
  })
})
