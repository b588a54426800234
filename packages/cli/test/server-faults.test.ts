import { keyChecksum } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { deployReply, envelope, type Reply, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { NOWHERE, type Outcome, runSvc } from './support/run-svc.ts'

const ACCOUNT_BODY = 'svc_ak_0123456789abcdefghijklmnopqrstuv'
const ACCOUNT_KEY = ACCOUNT_BODY + keyChecksum(ACCOUNT_BODY)

async function deployTo(reply: Reply | string): Promise<Outcome & { url: string }> {
  const controlPlane = await startControlPlane({
    'GET /v1/runtime/status': statusReply([]),
    'POST /v1/deployments': reply,
  })
  const outcome = await runSvc(createProject(shopProject()), ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(outcome.stdout).not.toContain('is active')
  return { ...outcome, url: controlPlane.url }
}

test('a server out of reach is named with its address, the cause and the fix', async () => {
  const { exitCode, stderr } = await runSvc(createProject(shopProject()), ['deploy'])
  expect(exitCode).toBe(4)
  expect(stderr).toContain(`✖ The control plane at ${NOWHERE} cannot be reached: ECONNREFUSED.`)
  expect(stderr).toContain('Is it running? If it is elsewhere, set SVC_BASE_URL to its address.')
})

test('a server that does not answer in time is named as out of reach', async () => {
  const hang = () => Promise.reject(new DOMException('The operation was aborted', 'TimeoutError'))
  const { exitCode, stderr } = await runSvc(createProject(shopProject()), ['status'], { fetch: hang })
  expect(exitCode).toBe(4)
  expect(stderr).toContain('no answer within 10 s')
})

test.each(['deploy', 'status'])(
  'a key that %s may not use is shortened, and the fix is to copy or rotate it',
  async (command) => {
    const refusal = envelope(401, 'unauthorized', 'This key is not valid here.')
    const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': refusal, 'POST /v1/deployments': refusal })
    const { exitCode, stdout, stderr } = await runSvc(createProject(shopProject()), [command], {
      env: controlPlane.env(DEPLOY_KEY),
    })
    expect(exitCode).toBe(4)
    expect(stderr).toContain(`The key svc_sk_0123…${DEPLOY_KEY.slice(-4)} is not valid at ${controlPlane.url}.`)
    expect(stderr).toMatch(/Copy the runtime’s deploy key again, or rotate it/)
    expect(stdout + stderr).not.toContain(DEPLOY_KEY)
  },
)

test('a 401 of something that is no control plane does not put the blame on the key', async () => {
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': { status: 401, body: { error: 'login' } } })
  const { exitCode, stderr } = await runSvc(createProject(shopProject()), ['status'], {
    env: controlPlane.env(DEPLOY_KEY),
  })
  expect(exitCode).toBe(4)
  expect(stderr).toContain(`${controlPlane.url} does not answer like a control plane: `)
  expect(stderr).toContain('Set SVC_BASE_URL to the address of the control plane.')
  expect(stderr).not.toContain('is not valid at')
})

test('an answer without an end is not read to it', async () => {
  const chunk = new TextEncoder().encode(' '.repeat(65_536))
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })
  const { exitCode, stderr } = await runSvc(createProject(shopProject()), ['status'], {
    fetch: async () => new Response(endless()),
  })
  expect(exitCode).toBe(4)
  expect(stderr).toContain('its answer is longer than 8388608 bytes')
})

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'set NODE_EXTRA_CA_CERTS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'check whether SVC_BASE_URL should start with http://'],
  ['ENOTFOUND', 'set SVC_BASE_URL to its address'],
])('a connection that fails with %s comes with its own fix', async (code, fix) => {
  const refuse = () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('no connection'), { code }) }))
  const { exitCode, stderr } = await runSvc(createProject(shopProject()), ['status'], { fetch: refuse })
  expect(exitCode).toBe(4)
  expect(stderr).toContain(`cannot be reached: ${code}.`)
  expect(stderr).toContain(fix)
})

describe('a refused manifest', () => {
  test('shows the server’s field errors under the capability’s own name', async () => {
    const { exitCode, stderr } = await deployTo(
      envelope(400, 'validation_error', 'The request is not valid: manifest.capabilities.1: of “refund” has one.', {
        'manifest.capabilities.1.actions.0.inputSchema': ['of “refund” has a remote $ref.', 'is too deep.'],
        'manifest.capabilities.9.name': ['is unknown to this project.'],
        'manifest.website.url': ['must be an address.'],
      }),
    )
    expect(exitCode).toBe(3)
    expect(stderr).toContain('✖ The control plane refused the manifest.\n')
    expect(stderr.match(/remote/g)).toHaveLength(1)
    expect(stderr).toMatch(/^ {2}“refund” input\s+has a remote \$ref\.$/m)
    expect(stderr).toMatch(/^ {2}“refund” input\s+is too deep\.$/m)
    expect(stderr).toMatch(/^ {2}capabilities\.9\.name\s+is unknown/m)
    expect(stderr).toMatch(/^ {2}website\.url\s+must be an address\.$/m)
  })
})

test.each([
  [403, 'forbidden', 4],
  [404, 'not_found', 4],
  [429, 'rate_limit_exceeded', 1],
  [500, 'internal_error', 1],
] as const)('a %i is told in the server’s own words', async (status, code, expected) => {
  const { exitCode, stderr } = await deployTo(envelope(status, code, `Words for ${status}.`))
  expect(exitCode).toBe(expected)
  expect(stderr).toContain(`The control plane refused: Words for ${status}.`)
})

// holds CLI-16
test.each([
  ['1', 'Try again in 1 second.'],
  ['12', 'Try again in 12 seconds.'],
])('a refusal that says when to come again, %s, is passed on with it', async (retryAfter, sentence) => {
  const { stderr } = await deployTo({
    ...envelope(429, 'rate_limit_exceeded', 'Too often.'),
    headers: { 'retry-after': retryAfter },
  })
  expect(stderr).toContain(`Too often.\n  ${sentence}\n`)
})

test.each([
  ['a page', '<h1>It works!</h1>'],
  ['a success of another shape', { status: 200, body: { ok: true } }],
  ['a failure of another shape', { status: 502, body: { message: 'bad gateway' } }],
] as const)('%s in answer is recognised as not coming from a control plane', async (_name, reply) => {
  const { exitCode, stderr, url } = await deployTo(reply)
  expect(exitCode).toBe(4)
  expect(stderr).toContain(`${url} does not answer like a control plane`)
  expect(stderr).toContain('SVC_BASE_URL')
})

test('a redirect is not followed, so the key goes to no other address', async () => {
  const elsewhere = await startControlPlane({ 'GET /v1/runtime/status': statusReply([]) })
  const redirect = { status: 307, body: {}, headers: { location: `${elsewhere.url}/v1/runtime/status` } }
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': redirect })
  const { exitCode, stderr } = await runSvc(createProject(shopProject()), ['status'], {
    env: controlPlane.env(DEPLOY_KEY),
  })
  expect(exitCode).toBe(4)
  expect(stderr).toContain(`redirect to ${elsewhere.url}/v1/runtime/status`)
  expect(elsewhere.requests).toEqual([])
})

test('control characters in an answer do not reach the terminal', async () => {
  const controlPlane = await startControlPlane({
    'GET /v1/runtime/status': statusReply([]),
    'POST /v1/deployments': deployReply([], ['all\u001b[2Jgone']),
  })
  const { stderr } = await runSvc(createProject(shopProject()), ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(stderr).toContain('all [2Jgone')
})

describe('what somebody else’s server says is printed and not obeyed', () => {
  const EVIL = 'a\u001b[2J\u009b2J\u202e\u2028\nb'
  const SHOWN = 'a [2J 2J   b'
  const refusal = envelope(400, 'validation_error', EVIL, { [EVIL]: [EVIL] })
  const { status, body } = statusReply([EVIL], 4, { name: EVIL, health: 'healthy' })
  const printed = async (args: string[], script: Record<string, Reply>) => {
    const controlPlane = await startControlPlane(script)
    const env = { ...controlPlane.env(DEPLOY_KEY), SVC_ACCOUNT_KEY: ACCOUNT_KEY, FORCE_COLOR: '1' }
    const { stdout, stderr } = await runSvc(createProject(shopProject()), args, { env })
    // Our own colours are the only ones.
    return ['1', '2', '22', '31', '32', '33', '39'].reduce(
      (text, code) => text.replaceAll(`\u001b[${code}m`, ''),
      stdout + stderr,
    )
  }

  test.each([
    ['a status', ['status'], { 'GET /v1/runtime/status': { status, body } }],
    ['a refused status', ['status'], { 'GET /v1/runtime/status': refusal }],
    ['a refused deployment', ['deploy'], { 'POST /v1/deployments': refusal }],
    ['a refused registration', ['init', 'app', '--yes'], { 'POST /v1/runtimes': refusal }],
    [
      'a refused manifest',
      ['manifest', 'pull', '--runtime', 'rt_shop'],
      { 'GET /v1/runtime/rt_shop/manifest': refusal },
    ],
  ])('in %s', async (_name, args, script) => {
    const text = await printed(args, script)
    expect(text).toContain(SHOWN)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
  })

  test('in the address of a redirect', async () => {
    const redirect = { status: 302, body: {}, headers: { location: 'https://x.example/\u009b2J' } }
    const text = await printed(['status'], { 'GET /v1/runtime/status': redirect })
    expect(text).toContain('a redirect to https://x.example/ 2J.')
  })

  test('with --json it is there to the last character, and escaped', async () => {
    const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': { status, body } })
    const env = controlPlane.env(DEPLOY_KEY)
    const { stdout } = await runSvc(createProject(shopProject()), ['status', '--json'], { env })
    expect(JSON.parse(stdout)).toMatchObject({ name: EVIL, capabilities: [EVIL] })
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
  })
})
