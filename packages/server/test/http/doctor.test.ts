import { DoctorReport } from '@svc/contract'
import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { createTestClock } from '../support/clock.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { keyring } from '../support/keys.ts'
import { dumpTables, type Scene, setScene } from '../support/scene.ts'

const run = ({ service }: Pick<Scene, 'service'>, key: string) => service.send('POST', '/v1/runtime/doctor', { key })

/** The body as the schema reads it, which must be all of it. */
function reportOf(answer: LightMyRequestResponse): DoctorReport {
  const sent: unknown = answer.json()
  const report = DoctorReport.parse(sent)
  expect([answer.statusCode, sent]).toEqual([200, report])
  return report
}

const failuresOf = (answer: LightMyRequestResponse) => reportOf(answer).rows.filter(({ ok }) => !ok)

// Judged before or after the store is asked; execute.test.ts and broker.test.ts hold what is stored on both engines.
describeEngine('sqlite', 'the doctor of a runtime', (engine) => {
  const database = useDatabase(engine)
  // The Date header of the endpoint is the machine’s.
  const scene = (options: Parameters<typeof setScene>[1] = {}) =>
    setScene(database(), { clock: createTestClock(Date.now()), ...options })

  // holds DOC-01, DOC-05
  test('answers a row for each check, charges nothing and records nothing', async () => {
    const lines: string[] = []
    const set = await scene({ log: (line) => void lines.push(line) })
    const [charged, stored] = [await set.charged(), await dumpTables(set.database)]
    lines.length = 0
    const report = reportOf(await run(set, set.runtime.deployKey))
    expect(report.rows.filter(({ ok }) => !ok)).toEqual([])
    expect(report).toMatchObject({ ok: true, rows: expect.any(Array) })
    expect(report.rows.length).toBeGreaterThan(15)
    expect(await set.charged()).toEqual(charged)
    expect(await dumpTables(set.database)).toEqual(stored)
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['request'])
  })

  test('says which row failed and what to change, without a secret', async () => {
    const set = await scene()
    set.endpoint.trust({ secrets: ['another'] })
    const answer = await run(set, set.runtime.deployKey)
    expect(failuresOf(answer)).toEqual([
      {
        check: 'genuine-call',
        ok: false,
        message: expect.stringMatching(/status 401, signature_mismatch/),
        mend: expect.stringMatching(/signing secret/),
      },
    ])
    expect(answer.body).not.toContain(set.runtime.secret)
  })

  test('after a rotation it tries the previous secret as calls do', async () => {
    const set = await scene()
    await keyring(set).rotateSecret()
    expect(failuresOf(await run(set, set.runtime.deployKey))).toEqual([])
    await keyring(set).rotateSecret(0)
    expect(failuresOf(await run(set, set.runtime.deployKey)).map(({ check }) => check)).toEqual(['genuine-call'])
  })

  test('a runtime without an endpoint is told to set one, without a call', async () => {
    const { service, owner } = await scene({ tier: 'pro' })
    const { deployKey } = await service.runtime(owner, { endpoint: undefined })
    const report = reportOf(await run({ service }, deployKey))
    expect(report).toEqual({
      ok: false,
      rows: [{ check: 'endpoint', ok: false, message: expect.any(String), mend: expect.stringMatching(/endpoint/) }],
    })
  })

  test('another address is examined before it is deployed, unless it is the service’s own', async () => {
    const { service, endpoint, runtime } = await scene({ manifest: null })
    const of = (url: string) =>
      service.send('POST', '/v1/runtime/doctor', { key: runtime.deployKey, body: { endpoint: url } })
    expect(failuresOf(await of(endpoint.url.replace('/svc', '/elsewhere')))).toEqual([])
    expect(new Set(endpoint.paths)).toEqual(new Set(['/elsewhere']))
    expect(Object.keys(faultsIn(await of('https://svc.test/v1')))).toEqual(['endpoint'])
  })

  // holds DOC-06
  test('an account runs it six times a minute, and others are not held up', async () => {
    const set = await scene({ tier: 'pro' })
    const { service, endpoint, owner, runtime } = set
    endpoint.trust({ secrets: [] })
    for (let runs = 0; runs < 6; runs += 1) reportOf(await run(set, runtime.deployKey))
    const beside = await service.runtime(owner)
    const refused = await run(set, beside.deployKey)
    expect(refusalOf(refused, 'rate_limit_exceeded')).toMatch(/as often as it may within a minute/)
    expect(refused.headers['retry-after']).toBe('10')
    const other = await service.runtime(await service.owner(), { endpoint: undefined })
    reportOf(await run(set, other.deployKey))
    service.clock.advance(10_000)
    reportOf(await run(set, runtime.deployKey))
  })

  // holds DOC-07
  test('its owner has any runtime examined, with a session as with a key', async () => {
    const { service, owner, session, runtime } = await scene()
    const url = `/v1/runtimes/${runtime.runtimeId}/doctor`
    for (const key of [owner.apiKey, session]) {
      expect(failuresOf(await service.send('POST', url, { key }))).toEqual([])
    }
  })

  // holds DOC-06
  test('an account runs one at a time', async () => {
    const set = await scene()
    let open = () => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    let arrive = () => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    set.endpoint.script('svc-probe', async () => {
      arrive()
      await opened
      return { output: 1 }
    })
    const first = run(set, set.runtime.deployKey)
    await arrived
    const own = `/v1/runtimes/${set.runtime.runtimeId}/doctor`
    for (const second of [run(set, set.runtime.deployKey), set.service.send('POST', own, { key: set.owner.apiKey })]) {
      expect(refusalOf(await second, 'rate_limit_exceeded')).toMatch(/Another doctor/)
    }
    open()
    reportOf(await first)
    reportOf(await run(set, set.runtime.deployKey))
  })
})
