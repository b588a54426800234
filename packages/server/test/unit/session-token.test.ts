import { expect, test } from 'vitest'
import { handleOf, looksLikeSession, signSession } from '../../src/accounts/session-token.ts'
import { createKeyring } from '../../src/secrets/keyring.ts'

const OLD = Buffer.alloc(32, 1)
const NEW = Buffer.alloc(32, 2)
const HANDLE = 'AbCdEfGhIjKlMnOpQrStUvWxYz012345'

const keyring = createKeyring([OLD])
const token = signSession(keyring, HANDLE).reveal()

test('a token gives its handle back, and says what it is', () => {
  expect(handleOf(keyring, token)).toBe(HANDLE)
  expect(looksLikeSession(token)).toBe(true)
  expect(looksLikeSession('svc_ak_something')).toBe(false)
  expect(String(signSession(keyring, HANDLE))).toBe('[secret]')
})

test('a token with any one character changed, missing or added is none', () => {
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === '0' ? '1' : '0'
    expect(handleOf(keyring, token.slice(0, at) + other + token.slice(at + 1))).toBeNull()
    expect(handleOf(keyring, token.slice(0, at) + token.slice(at + 1))).toBeNull()
    expect(handleOf(keyring, `${token.slice(0, at)}0${token.slice(at)}`)).toBeNull()
  }
  for (const other of ['', HANDLE, token.toUpperCase(), `${token}\n`, ` ${token}`])
    expect(handleOf(keyring, other)).toBeNull()
})

test('the hash of a handle alone signs nothing: what is hashed for a look-up is no session’s signature', () => {
  expect(handleOf(keyring, `svc_ss_${HANDLE}_${keyring.hash(HANDLE)}`)).toBeNull()
})

test('a session outlives the rotation of the master key, as long as the old one is in the ring', () => {
  expect(handleOf(createKeyring([NEW, OLD]), token)).toBe(HANDLE)
  expect(handleOf(createKeyring([NEW]), token)).toBeNull()
  const rotated = signSession(createKeyring([NEW, OLD]), HANDLE).reveal()
  expect(rotated).not.toBe(token)
  expect(handleOf(keyring, rotated)).toBeNull()
})
