import { onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/database/open.ts'
import { refusalOf } from '../support/answers.ts'
import { createTestPlace, describeEngine } from '../support/engines.ts'
import { startPostgresRelay } from '../support/postgres-relay.ts'
import { setScene } from '../support/scene.ts'
import { PASSWORD } from '../support/service.ts'
import { askToSignIn, askToSignUp, begunSession, newAddress } from '../support/sign-in.ts'

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
