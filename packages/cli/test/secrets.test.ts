import { keyChecksum } from '@svc/contract'
import { expect, test } from 'vitest'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { NOWHERE, runSvc } from './support/run-svc.ts'

const accountBody = `svc_ak_${'a'.repeat(32)}`
const ACCOUNT_KEY = accountBody + keyChecksum(accountBody)
const OLD_SECRET = 'b2xkIHNlY3JldCBvZiB0aGUgcnVudGltZQ'
const SECRET = 'bmV3IHNlY3JldCBvZiB0aGUgcnVudGltZQ'

/** What svc prints, in words and as JSON, when the project throws a text that it made from its environment. */
async function printedFor(expression: string, dotenv: string): Promise<string> {
  const folder = createProject({
    ...shopProject(),
    '.env': dotenv,
    'svc.config.ts': `throw new Error('cannot use ' + ${expression})`,
  })
  const env = { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: NOWHERE }
  const { stdout, stderr } = await runSvc(folder, ['status', '--json'], { env })
  expect(stdout).toContain('cannot use ')
  expect(stderr).toContain('cannot use ')
  return stdout + stderr
}

test('an account key is shown in its short form alone', async () => {
  const printed = await printedFor('process.env.SVC_ACCOUNT_KEY', `SVC_ACCOUNT_KEY=${ACCOUNT_KEY}`)
  expect(printed).toContain(`svc_ak_aaaa…${ACCOUNT_KEY.slice(-4)}`)
  expect(printed).not.toContain(ACCOUNT_KEY)
})

test('each signing secret of the environment is withheld, also while there are two', async () => {
  const printed = await printedFor('process.env.SVC_RUNTIME_SECRET', `SVC_RUNTIME_SECRET=${SECRET}, ${OLD_SECRET}`)
  expect(printed).toContain('cannot use [secret], [secret]')
  expect(printed).not.toContain(SECRET)
  expect(printed).not.toContain(OLD_SECRET)
})

test('a key that is none is withheld, too, where it stands in a variable for keys', async () => {
  const printed = await printedFor('process.env.SVC_ACCOUNT_KEY', 'SVC_ACCOUNT_KEY=hunter2hunter2')
  expect(printed).toContain('cannot use [secret]')
  expect(printed).not.toContain('hunter2')
})

test('an empty or very short value does not tear up the output', async () => {
  const printed = await printedFor("'a word'", 'SVC_RUNTIME_SECRET=,\nSVC_ACCOUNT_KEY=a')
  expect(printed).toContain('cannot use a word')
})
