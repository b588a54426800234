import { expect, test } from 'vitest'
import { requireCustomer, signIn, signOut } from '../src/store/sessions.ts'
import { JONAS, MIRA, openTestStore, tokenOf } from './support/test-store.ts'

const HOUR_MS = 60 * 60 * 1000

test.each([
  [MIRA, { id: 1, name: 'Mira Lindqvist', country: 'DE' }],
  [JONAS, { id: 2, name: 'Jonas Okafor', country: 'AT' }],
])('a session belongs to the customer who signed in, by the customer’s own password', async (credentials, customer) => {
  const store = openTestStore()
  const session = await signIn(store, credentials)
  expect(session?.name).toBe(customer.name)
  expect(requireCustomer(store, session?.token ?? '')).toEqual(customer)
})

test('the address is compared without case and the password with it', async () => {
  const store = openTestStore()
  expect(await signIn(store, { email: ' Mira@Example.com ', password: MIRA.password })).not.toBeNull()
  expect(await signIn(store, { email: MIRA.email, password: 'Mountain-Air' })).toBeNull()
})

test('an unknown address and a wrong password are refused alike', async () => {
  const store = openTestStore()
  expect(await signIn(store, { email: 'nobody@example.com', password: MIRA.password })).toBeNull()
  expect(await signIn(store, { email: MIRA.email, password: '' })).toBeNull()
})

test('a session ends after twelve hours by the shop’s own clock', () => {
  const store = openTestStore()
  const token = tokenOf(store, MIRA)
  store.pass(12 * HOUR_MS - 1)
  expect(requireCustomer(store, token).name).toBe('Mira Lindqvist')
  store.pass(1)
  expect(() => requireCustomer(store, token)).toThrow('You are not signed in any more. Please sign in again.')
})

test('signing out ends this session at once and leaves the customer’s others alone', () => {
  const store = openTestStore()
  const [phone, laptop] = [tokenOf(store, MIRA), tokenOf(store, MIRA)]
  signOut(store, phone)
  expect(() => requireCustomer(store, phone)).toThrow('sign in again')
  expect(requireCustomer(store, laptop).id).toBe(1)
})

test('neither tokens nor passwords can be read from the database', () => {
  const store = openTestStore()
  const token = tokenOf(store, MIRA)
  const contents = store.database.serialize().toString('latin1')
  expect(contents).toContain('mira@example.com')
  expect(contents).not.toContain(token)
  expect(contents).not.toContain(MIRA.password)
})
