import { Project, UpdatedRuntime } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/open.ts'
import { refusalOf } from '../support/answers.ts'
import { createTestPlace, describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { createFleetingDatabase } from '../support/fleeting-database.ts'
import { startPostgresRelay } from '../support/postgres-relay.ts'
import { setScene } from '../support/scene.ts'
import { PASSWORD, startForTest } from '../support/service.ts'
import { askToSignIn, askToSignUp, begunSession, newAddress } from '../support/sign-in.ts'

describeEngines('what was changed when the database goes', (engine) => {
  const lasting = useDatabase(engine)

  /** The database goes when the test says so, and until then is there. */
  async function start() {
    const { database, ...fleeting } = createFleetingDatabase(lasting())
    const service = await startForTest(database)
    onTestFinished(fleeting.comeBack)
    const owner = await service.owner('pro')
    return { ...fleeting, service, owner }
  }

  test('a runtime that was registered again is answered as it is by then', async () => {
    const { service, owner, goAfter } = await start()
    const { runtimeId, projectId, tier, deployKeyPrefix, publicKeyPrefix } = await service.runtime(owner)
    const body = { runtimeId, name: 'Shop', endpoint: 'http://127.0.0.1:9/moved' }
    goAfter(1)
    const answer = await service.send('POST', '/v1/runtimes', { key: owner.apiKey, body })
    expect(answer.statusCode).toBe(200)
    expect(UpdatedRuntime.parse(answer.json())).toEqual({
      runtimeId,
      projectId,
      tier,
      deployKeyPrefix,
      publicKeyPrefix,
    })
  })

  test('a project that was renamed is answered with its runtimes', async () => {
    const { service, owner, goAfter } = await start()
    const { projectId } = await service.runtime(owner)
    goAfter(1)
    const answer = await service.send('PATCH', `/v1/projects/${projectId}`, {
      key: owner.apiKey,
      body: { name: 'All' },
    })
    expect(answer.statusCode).toBe(200)
    expect(Project.parse(answer.json())).toMatchObject({ projectId, name: 'All', runtimeCount: 1 })
  })
})

describeEngine('postgres', 'an account that has changed when the database goes', (engine) => {
  /** The database goes once a session has begun, and before it is read. */
  async function setFleetingScene() {
    const place = await createTestPlace(engine)
    const relay = await startPostgresRelay(place.location)
    const database = await openDatabase({ engine: 'postgres', url: relay.url, onError: () => undefined })
    onTestFinished(() => database.close())
    const scene = await setScene(database)
    const { auth } = scene.service.deps
    const begin = auth.beginSession
    auth.beginSession = async (...given) => {
      const handle = await begin(...given)
      relay.shut('now')
      return handle
    }
    return { ...scene, relay }
  }

  test('a changed password is a fault, and the new one is good', async () => {
    const { service, owner, session, relay } = await setFleetingScene()
    const newPassword = 'another battery staple'
    const body = { currentPassword: PASSWORD, newPassword }
    refusalOf(await service.send('POST', '/v1/account/password', { key: session, body }), 'internal_error')
    relay.open()
    begunSession(await askToSignIn(service, { email: owner.email, password: newPassword }))
  })

  test('an opened account is a fault, and can be signed in to', async () => {
    const { service, relay } = await setFleetingScene()
    const email = newAddress()
    refusalOf(await askToSignUp(service, { email }), 'internal_error')
    relay.open()
    begunSession(await askToSignIn(service, { email }))
  })
})
