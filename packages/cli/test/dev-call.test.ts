import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const RUNTIME = `
import { CapabilityError, defineCapability, defineRuntime } from '@svc/sdk'
import { z } from 'zod'

const echo = defineCapability({
  name: 'echo',
  version: '1.0.0',
  input: z.object({ text: z.string(), times: z.number().int().optional() }),
  handler: (input, { metadata, callId }) => ({ ...input, metadata, hasCallId: callId.length > 0 }),
})
const whoAmI = defineCapability({
  name: 'who-am-i',
  version: '1.0.0',
  requiresEndUser: true,
  handler: (_input, { endUserToken }) => ({ length: endUserToken.length }),
})
const refuse = defineCapability({
  name: 'refuse',
  version: '1.0.0',
  handler: () => {
    throw new CapabilityError('There are only 3 left.')
  },
})
const leak = defineCapability({
  name: 'leak',
  version: '1.0.0',
  handler: (_input, { endUserToken }) => {
    throw new Error(\`no session for \${endUserToken}\`)
  },
})
const guarded = defineCapability({ name: 'guarded', version: '1.0.0', permissions: ['orders:read'], handler: () => 'in' })

export default defineRuntime({ capabilities: [echo, whoAmI, refuse, leak, guarded] })
`

const project = (env = '') =>
  createProject({ 'svc.config.ts': 'export default { apiKey: undefined }', '.svc/runtime.ts': RUNTIME, '.env': env })
const call = (args: readonly string[], options: Parameters<typeof runSvc>[2] = {}) =>
  runSvc(project(), ['dev', 'call', ...args], { env: {}, ...options })

test('call prints the output as JSON on stdout and the duration on stderr, and needs no key', async () => {
  let now = 1_000
  const timers = { now: () => (now += 250), every: () => () => undefined, after: () => () => undefined }
  const { exitCode, stdout, stderr } = await call(['echo', '--input', '{"text": "hi"}'], { timers })
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual({ text: 'hi', metadata: {}, hasCallId: true })
  expect(stderr).toMatch(/^echo answered after \d+ ms\n$/)
})

test('--json tells the capability, its output and the duration', async () => {
  const { stdout, stderr } = await call(['echo', '--json', '--input', '{"text": "hi"}'])
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, capability: 'echo', output: { text: 'hi' }, durationMs: 0 })
  expect(stderr).toBe('echo answered after 0 ms\n')
})

test('the input may stand in a file or come through stdin', async () => {
  const folder = project()
  const stdin = new PassThrough()
  stdin.end('{"text": "ü"}')
  const piped = await runSvc(folder, ['dev', 'call', 'echo', '--input', '-'], { env: {}, stdin })
  expect(JSON.parse(piped.stdout)).toMatchObject({ text: 'ü' })
  const withFile = createProject({
    ...{ 'svc.config.ts': 'export default {}', '.svc/runtime.ts': RUNTIME },
    'in.json': '{"text": "file"}',
  })
  const read = await runSvc(withFile, ['dev', 'call', 'echo', '--input-file', 'in.json'], { env: {} })
  expect(JSON.parse(read.stdout)).toMatchObject({ text: 'file' })
})

test('metadata reaches the handler', async () => {
  const { stdout } = await call(['echo', '--input', '{"text": "hi"}', '--metadata', '{"page": "/cart"}'])
  expect(JSON.parse(stdout)).toMatchObject({ metadata: { page: '/cart' } })
})

test('input that does not satisfy the schema is refused by field, before the handler', async () => {
  const { exitCode, stdout } = await call(['echo', '--json', '--input', '{"times": "two"}'])
  expect(exitCode).toBe(1)
  const { error } = JSON.parse(stdout)
  expect(error.kind).toBe('failure')
  expect(Object.keys(error.fieldErrors).sort()).toEqual(['text', 'times'])
})

test('input that is no object is refused on input', async () => {
  const { exitCode, stderr } = await call(['refuse', '--input', '[1]'])
  expect(exitCode).toBe(1)
  expect(stderr).toContain('input  must be a JSON object.')
})

test('an unknown name is wrong usage and gets the nearest one', async () => {
  const { exitCode, stderr } = await call(['refuce'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('There is no capability “refuce” in this project.')
  expect(stderr).toContain('Did you mean refuse?')
  const far = await call(['something-else-entirely'])
  expect(far.stderr).not.toContain('Did you mean')
  expect(far.stderr).toContain('There are echo, who-am-i, refuse, leak, guarded.')
})

test('the end user’s token is read from a variable, .env included, and is never printed', async () => {
  const folder = project('SHOP_SESSION=session-of-alice\n')
  const args = ['--end-user-token-env', 'SHOP_SESSION']
  const known = await runSvc(folder, ['dev', 'call', 'who-am-i', ...args], { env: {} })
  expect(JSON.parse(known.stdout)).toEqual({ length: 'session-of-alice'.length })
  const leaking = await runSvc(folder, ['dev', 'call', 'leak', ...args], { env: {} })
  expect(leaking.exitCode).toBe(1)
  expect(leaking.stderr).toContain('no session for [end-user token]')
  expect(leaking.stdout + leaking.stderr).not.toContain('session-of-alice')
})

test('a capability that requires an end user fails without one, as it would when called', async () => {
  const { exitCode, stderr } = await call(['who-am-i'])
  expect(exitCode).toBe(1)
  expect(stderr).toContain('“who-am-i” failed (end_user_required)')
  expect(stderr).toContain('--end-user-token-env SHOP_SESSION')
})

test('permissions are those of --permissions, and without it all that the capability asks for', async () => {
  expect((await call(['guarded'])).stdout).toBe('"in"\n')
  expect((await call(['guarded', '--permissions', 'orders:write, orders:read'])).stdout).toBe('"in"\n')
  const lacking = await call(['guarded', '--permissions', 'orders:write'])
  expect(lacking.exitCode).toBe(1)
  expect(lacking.stderr).toContain('(permission_denied)')
})

test('an expected failure prints its message, an unexpected one its stack as well', async () => {
  const expected = await call(['refuse'])
  expect(expected.exitCode).toBe(1)
  expect(expected.stderr).toContain('✖ “refuse” failed (capability_error): There are only 3 left.')
  expect(expected.stderr).not.toContain('runtime.ts:')
  const unexpected = await call(['leak'])
  expect(unexpected.exitCode).toBe(1)
  expect(unexpected.stderr).toContain('(handler_failed)')
  expect(unexpected.stderr).toContain('runtime.ts:')
})

test.each([
  [['--input', '{day: 1}'], '--input is not JSON'],
  [['--input-file', 'none.json'], '--input-file: none.json cannot be read (ENOENT).'],
  [['--input', '{}', '--input-file', 'x'], '--input and --input-file were both given.'],
  [['--metadata', '[]'], '--metadata must be a JSON object'],
  [['--end-user-token-env', 'NO_SUCH'], '--end-user-token-env: NO_SUCH is not set'],
])('%j is wrong usage', async (args, words) => {
  const { exitCode, stdout, stderr } = await call(['refuse', ...args])
  expect(exitCode).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain(words)
})
