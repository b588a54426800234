import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { refusalOf } from '../support/answers.ts'
import { deferred } from '../support/deferred.ts'
import { createTestPlace, describeEngine, describeEngines, type TestEngine } from '../support/engines.ts'
import { saying } from '../support/scene.ts'
import { startService, type TestService } from '../support/service.ts'

const SENTENCE = 'Something went wrong on our side. Try again later.'

describeEngines('with a failing database', (engine) => {
  // holds ERR-06
  test('every route that needs it answers with the same sentence, and only the log has the reason', async () => {
    const { service, requests, log, breakTables } = await start(engine)
    await breakTables()
    log.length = 0
    for (const request of requests) {
      const answer = await service.inject(request)
      const asked = `${request.method} ${request.url}`
      expect([asked, answer.statusCode, answer.body]).toEqual([
        asked,
        500,
        JSON.stringify({ error: { code: 'internal_error', message: SENTENCE } }),
      ])
      expect(refusalOf(answer, 'internal_error')).toBe(SENTENCE)
      expect(JSON.stringify(answer.headers)).not.toMatch(/sql|table|relation|node_modules/i)
      const reason = log.filter((line) => line.includes(`"requestId":"${answer.headers['x-request-id']}"`)).join('')
      expect([asked, reason]).toEqual([asked, expect.stringMatching(/no such table|does not exist/)])
    }
  })

  test('a caller with a cached runtime gets the same sentence, and nothing runs unrecorded', async () => {
    const { service, requests, breakTables } = await start(engine)
    const execute = requests.find(({ url }) => url === '/v1/runtime/execute') ?? never()
    expect((await service.inject(execute)).statusCode).toBe(200)
    await breakTables()
    expect(refusalOf(await service.inject(execute), 'internal_error')).toBe(SENTENCE)
    const streamed = await service.inject({ ...execute, headers: { ...execute.headers, accept: 'text/event-stream' } })
    expect(refusalOf(streamed, 'internal_error')).toBe(SENTENCE)
    expect(service.model.requests).toHaveLength(1)
  })

  // holds KEY-02, PUB-03
  test('the service still answers / and /health, and refuses what it can without a database', async () => {
    const { service, requests, breakTables } = await start(engine)
    await breakTables()
    for (const url of ['/', '/health']) expect((await service.send('GET', url)).statusCode).toBe(200)
    refusalOf(await service.send('GET', '/nowhere'), 'not_found')
    for (const { headers: _, ...request } of requests.filter(({ headers }) => headers !== undefined)) {
      refusalOf(await service.inject(request), 'unauthorized')
    }
  })
})

describeEngine('postgres', 'with a database whose connections are all in use', (engine) => {
  test('a caller is told to retry, and the log says that connections ran out', async () => {
    const { service, requests, log, database } = await start(engine)
    const end = deferred<void>()
    const held = Array.from({ length: 10 }, () => {
      const taken = deferred<void>()
      const over = database.db.connection().execute((connection) => {
        taken.resolve()
        return sql`select 1`.execute(connection).then(() => end.promise)
      })
      return { taken: taken.promise, over }
    })
    await Promise.all(held.map(({ taken }) => taken))
    const list = requests.find(({ method, url }) => method === 'GET' && url === '/v1/runtimes') ?? never()
    const answer = await service.inject(list)
    expect(refusalOf(answer, 'internal_error')).toBe(
      'The service cannot reach its database at the moment. Nothing was done: try again.',
    )
    expect(answer.headers['retry-after']).toBe('1')
    expect(log.filter((line) => line.includes('the database was busy or away'))).toHaveLength(1)
    expect(log.filter((line) => line.includes('request failed'))).toEqual([])
    end.resolve()
    await Promise.all(held.map(({ over }) => over))
    expect((await service.inject(list)).statusCode).toBe(200)
  })
})

interface BrokenRequest {
  method: 'GET' | 'POST' | 'PUT'
  url: string
  headers?: Record<string, string>
  payload?: object
}

async function start(engine: TestEngine) {
  const place = await createTestPlace(engine)
  const database = await openDatabase(place.options)
  const log: string[] = []
  const service = await startService(database, { log: (line) => log.push(line) })
  onTestFinished(async () => {
    await service.app.close()
    await service.deps.dispatcher.close()
    await database.close()
  })
  const requests = await goodRequests(service)
  // Renamed and not emptied: what was there must be what fails.
  const breakTables = async () => {
    for (const table of ['credentials', 'runtimes', 'executions', 'allowances']) {
      await sql`alter table ${sql.table(table)} rename to ${sql.table(`${table}_away`)}`.execute(database.db)
    }
  }
  return { service, requests, log, database, breakTables }
}

/** A good request to every route that needs the database. */
async function goodRequests(service: TestService): Promise<BrokenRequest[]> {
  const owner = await service.owner('pro')
  const runtime = await service.runtime(owner)
  expect((await service.deploy(runtime)).statusCode).toBe(201)
  const { runtimeId } = runtime
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
  const [account, deploy, page] = [as(owner.apiKey), as(runtime.deployKey), as(runtime.publicKey)]
  return [
    { method: 'GET', url: `/v1/runtime/${runtimeId}/manifest` },
    { method: 'POST', url: `/v1/capabilities/${runtimeId}/echo`, payload: {} },
    { method: 'POST', url: '/v1/runtime/execute', payload: saying(), ...page },
    { method: 'POST', url: '/v1/runtime/capability', payload: { capability: 'echo' }, ...page },
    {
      method: 'POST',
      url: '/v1/deployments',
      payload: { manifest: { schemaVersion: 2, capabilities: [] } },
      ...deploy,
    },
    { method: 'GET', url: '/v1/runtime/status', ...deploy },
    { method: 'POST', url: '/v1/runtime/heartbeat', ...deploy },
    { method: 'POST', url: '/v1/runtime/doctor', ...deploy },
    { method: 'POST', url: '/v1/runtimes', payload: { name: 'Shop' }, ...account },
    { method: 'GET', url: '/v1/runtimes', ...account },
    { method: 'GET', url: `/v1/runtimes/${runtimeId}`, ...account },
    { method: 'POST', url: `/v1/runtimes/${runtimeId}/doctor`, ...account },
    { method: 'PUT', url: `/v1/runtimes/${runtimeId}/allowed-origins`, payload: { origins: [] }, ...account },
    { method: 'POST', url: '/v1/executions', payload: { runtimeId, ...saying() }, ...account },
    { method: 'GET', url: '/v1/executions', ...account },
    { method: 'GET', url: '/v1/executions/exec_1', ...account },
  ]
}

function never(): never {
  throw new Error('there is a request to every route')
}
