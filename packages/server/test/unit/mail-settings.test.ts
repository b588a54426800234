import { expect, test } from 'vitest'
import { readMailSettings } from '../../src/mail/mail-settings.ts'

const FROM = 'svc@example.com'
const read = (url: string, from = FROM) => readMailSettings({ SVC_SMTP_URL: url, SVC_MAIL_FROM: from })
const settings = (result: ReturnType<typeof read>) => (result.ok ? result.settings : result.faults)

test.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, isSecure: false, credentials: null }],
  ['smtp://127.0.0.1:2525/', { host: '127.0.0.1', port: 2525, isSecure: false, credentials: null }],
  ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, isSecure: true, credentials: null }],
  ['smtp://[::1]:25', { host: '::1', port: 25, isSecure: false, credentials: null }],
])('%s', (url, server) => {
  expect(settings(read(url))).toEqual({ ...server, from: { name: '', address: FROM } })
})

test('user and password are decoded, and the password prints as a secret', () => {
  const result = read('smtps://ada%40example.com:p%3Aw%2Fd@mail.example.com')
  const credentials = result.ok ? result.settings?.credentials : null
  expect([credentials?.user, credentials?.password.reveal()]).toEqual(['ada@example.com', 'p:w/d'])
  expect(JSON.stringify(result)).not.toContain('p:w/d')
})

test.each([
  'mail.example.com',
  'http://mail.example.com',
  'smtp://',
  'smtp://mail.example.com/path',
  'smtp://mail.example.com?secure=true',
  'smtp://mail.example.com#top',
  'smtp://:password@mail.example.com',
  'smtp://ada:%zz@mail.example.com',
])('the server %j is refused with the form to use, and not repeated', (url) => {
  expect(settings(read(url))).toEqual({ SVC_SMTP_URL: [expect.stringContaining('smtps://user:password@')] })
})

test.each([
  ['Example <svc@example.com>', { name: 'Example', address: FROM }],
  ['"Example, Inc." <svc@example.com>', { name: 'Example, Inc.', address: FROM }],
  [' svc@example.com ', { name: '', address: FROM }],
])('the sender %s', (from, parsed) => {
  expect(settings(read('smtp://mail.example.com', from))).toMatchObject({ from: parsed })
})

test.each([
  'svc',
  'a@example.com, b@example.com',
  'A\r\nBcc: x@example.com <svc@example.com>',
  'A <svc@example.com> <b@example.com>',
])('the sender %j is refused', (from) => {
  expect(settings(read('smtp://mail.example.com', from))).toEqual({
    SVC_MAIL_FROM: [expect.stringContaining('such as')],
  })
})

test('neither is no mail; one asks for the other', () => {
  expect(readMailSettings({})).toEqual({ ok: true, settings: null })
  expect(readMailSettings({ SVC_SMTP_URL: 'smtp://mail.example.com' })).toMatchObject({
    faults: { SVC_MAIL_FROM: ['is required with SVC_SMTP_URL.'] },
  })
  expect(readMailSettings({ SVC_MAIL_FROM: FROM })).toMatchObject({
    faults: { SVC_SMTP_URL: ['is required with SVC_MAIL_FROM.'] },
  })
})
