import { expect, test } from 'vitest'
import { openSecrets, secretContext } from '../../src/runtimes/serving-runtime.ts'
import { createKeyring } from '../../src/secrets/keyring.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { createTestClock } from '../support/clock.ts'

const OLD_MASTER = Buffer.alloc(32, 1)
const NEW_MASTER = Buffer.alloc(32, 2)
const ID = 'rt_shop0001'

const clock = createTestClock()
const sealed = (master: Buffer, secret: string) => createKeyring([master]).seal(new Secret(secret), secretContext(ID))

/** A runtime whose secret was rotated after the master key was. */
const row = {
  runtime_id: ID,
  secret_sealed: sealed(NEW_MASTER, 'new'),
  previous_secret_sealed: sealed(OLD_MASTER, 'old'),
  previous_secret_expires_at: clock.now() + 1,
}

test('within the grace both secrets open, each under the master key that sealed it', () => {
  const { current, previous } = openSecrets({ keyring: createKeyring([NEW_MASTER, OLD_MASTER]), clock }, row)
  expect([current.reveal(), previous?.secret.reveal(), previous?.expiresAt]).toEqual(['new', 'old', clock.now() + 1])
})

test('after the grace the master key of the previous one may leave the ring', () => {
  const expired = { ...row, previous_secret_expires_at: clock.now() }
  const { current, previous } = openSecrets({ keyring: createKeyring([NEW_MASTER]), clock }, expired)
  expect([current.reveal(), previous]).toEqual(['new', null])
})
