import { startSmtpDouble } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { linkIn } from '../support/mail.ts'
import { ask, createOwner, runAdminHere } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { createFolder } from './server-process.ts'

const Printed = z.object({ ownerId: z.string(), email: z.string(), link: z.string(), expiresAt: z.iso.datetime() })
const NEW = 'another battery staple'

// holds ACC-24, ACC-25
test('a server mails links, takes those of the operator, and its output holds neither them nor the mail password', async () => {
  const smtp = await startSmtpDouble({ wantsCredentials: true })
  onTestFinished(() => smtp.close())
  const environment = {
    SVC_MODEL: 'demo:rules',
    SVC_DATA_DIR: createFolder(),
    SVC_SMTP_URL: smtp.url.replace('://', '://ada:open-sesame@'),
    SVC_MAIL_FROM: 'svc@example.com',
  }
  const { ownerId, email } = await createOwner(environment)
  const server = await startServerHere(environment)
  expect(server.summary).toMatch(/^mail {5}127\.0\.0\.1$/m)
  const asked = await ask(`${server.url}/v1/auth/password-reset`, { body: { email } })
  expect(asked).toMatchObject({ status: 200, body: { status: 'ok' } })
  const mail = await smtp.next()
  expect([mail.to, mail.credentials]).toEqual([[email], { user: 'ada', password: 'open-sesame' }])
  const mailed = linkIn(mail)
  expect(mailed.link).toBe(`${server.url}/dashboard/new-password#${mailed.token}`)

  const printed = Printed.parse(
    JSON.parse((await runAdminHere(['reset-password', '--email', email], environment)).stdout),
  )
  expect(printed).toMatchObject({ ownerId, email })
  const { token } = linkIn({ text: printed.link })
  const set = (each: string) =>
    ask(`${server.url}/v1/auth/password-reset/confirm`, { body: { token: each, password: NEW } })
  // The operator’s link is the newer one.
  expect([(await set(mailed.token)).status, (await set(token)).status]).toEqual([400, 200])
  const signedIn = await ask(`${server.url}/v1/auth/sign-in`, { body: { email, password: NEW } })
  expect(signedIn.status).toBe(200)

  // A mail server that says nothing keeps no server from stopping.
  smtp.hold()
  await ask(`${server.url}/v1/auth/password-reset`, { body: { email } })
  await server.stop()
  const output = server.summary + server.log()
  expect(output).toContain('stopped')
  for (const secret of [mailed.token, token, 'open-sesame']) expect(output).not.toContain(secret)
})
