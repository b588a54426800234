import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, keyChecksum } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import type { Timers } from '../../packages/cli/src/deps.ts'
import { deployReply, startControlPlane, statusReply } from '../../packages/cli/test/support/fake-control-plane.ts'
import { DEPLOY_KEY } from '../../packages/cli/test/support/keys.ts'
import { createProject, shopProject } from '../../packages/cli/test/support/project.ts'
import { runSvc } from '../../packages/cli/test/support/run-svc.ts'
import { type CommandHelp, readHelp } from '../support/command-line-help.ts'
import { sampleOf } from '../support/doc-samples.ts'
import { ROOT } from '../support/source-tree.ts'

const read = (page: string) => readFileSync(join(ROOT, 'docs', page), 'utf8')

const GLOBAL = 'Options of every command'

/** What each section of the page says, by its title without code quotes and arguments: `svc dev call`. */
function sections(): Map<string, string> {
  const parts = read('reference/cli.md').split(/^## /m)
  return new Map(parts.map((part) => [part.split('\n', 1)[0]?.replaceAll('`', '').split(/ [<[]/)[0] ?? '', part]))
}

/** The options in the first column of a section’s tables. */
function optionsIn(section: string): string[] {
  return [...section.matchAll(/^\| (`-.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/(?<![\w-])--?[a-zA-Z][\w-]*/g)].map(([option]) => option),
  )
}

/** The commands that can be run, `svc dev call`, each with its options. */
function runnable(help: CommandHelp, path = 'svc'): [string, string[]][] {
  const below = [...help.commands].flatMap(([name, command]) => runnable(command, `${path} ${name}`))
  const isGroup = path === 'svc' || path === 'svc manifest'
  return isGroup ? below : [[path, [...help.options.keys()]], ...below]
}

describe('the page on the command-line tool', () => {
  test('has a section for each command with exactly its options, and one for the global ones', async () => {
    const help = await readHelp(async (path) => (await runSvc(ROOT, [...path, '--help'], { env: {} })).stdout)
    const described = sections()
    const global = optionsIn(described.get(GLOBAL) ?? '')
    expect(global.sort()).toEqual([...help.options.keys()].sort())

    const commands = runnable(help)
    const titles = [...described.keys()].filter((title) => title.startsWith('svc '))
    expect(titles.sort()).toEqual(commands.map(([path]) => path).sort())
    for (const [path, options] of commands) {
      const own = options.filter((option) => !global.includes(option))
      expect(optionsIn(described.get(path) ?? '').sort(), path).toEqual(own.sort())
    }
  })

  test('shows the JSON of every command with the fields that it prints, down to the innermost', async () => {
    const manifest: unknown = JSON.parse(sampleOf('docs/reference/manifest.md', 'agent-discovery.json', 'json').code)
    const controlPlane = await startControlPlane({
      'GET /v1/runtime/status': statusReply(['order-status'], 4, {
        name: 'Example Shop',
        healthNote: null,
        deprecated: [{ name: 'order-status', deprecatedSince: '1.2.0', removalNotBefore: null }],
      }),
      'POST /v1/deployments': deployReply([{ name: 'order-status', hasInputSchema: true }]),
      'POST /v1/deployments/candidate/promote': PROMOTED,
      'POST /v1/deployments/previous/promote': PROMOTED,
      'POST /v1/runtime/doctor': {
        status: 200,
        body: { ok: true, rows: [{ check: 'replay', ok: true, message: 'Refused.', mend: null }] },
      },
      'POST /v1/runtimes': { status: 201, body: REGISTERED },
      'GET /v1/traces/runtime/rt_exampleShop?limit=100': { status: 200, body: { traces: [TRACE], nextCursor: null } },
      'GET /v1/traces/runtime/rt_exampleShop?limit=20': { status: 200, body: { traces: [TRACE], nextCursor: null } },
      ...DEPLOYMENTS,
      'GET /v1/account': { status: 200, body: ACCOUNT },
      'POST /v1/auth/device': { status: 201, body: DEVICE_LOGIN },
      'POST /v1/auth/device/token': { status: 200, body: { status: 'authorized', account: ACCOUNT, ...SAVED } },
      'POST /v1/account/keys/key_1/revoke': { status: 200, body: REVOKED },
      'GET /v1/runtime/rt_exampleShop/manifest': { status: 200, body: manifest },
    })
    const folder = createProject(shopProject())
    const kept = createProject({ 'package.json': '{}' })
    const tested = createProject({ ...shopProject(), 'a.svc-test.yaml': CONVERSATION })
    const runs: Record<string, [string, string[]]> = {
      'svc init': [kept, ['init', '--yes']],
      'svc dev': [folder, ['dev', '--check']],
      'svc dev call': [folder, ['dev', 'call', 'refund', '--input', '{"id": "1"}']],
      'svc test': [tested, ['test']],
      'svc generate': [folder, ['generate']],
      'svc deploy': [folder, ['deploy']],
      'svc promote': [folder, ['promote']],
      'svc rollback': [folder, ['rollback']],
      'svc doctor': [folder, ['doctor']],
      'svc status': [folder, ['status']],
      'svc logs': [folder, ['logs']],
      'svc replay': [tested, ['replay', '--against', '5', '--endpoint', `${SHOP}/next`]],
      'svc manifest pull': [folder, ['manifest', 'pull', '--runtime', 'rt_exampleShop']],
      'svc mcp': [folder, ['mcp']],
      'svc login': [folder, ['login']],
      'svc logout': [folder, ['logout']],
      'svc whoami': [folder, ['whoami']],
      'svc open': [folder, ['open']],
    }
    expect(Object.keys(runs)).toEqual([...sections().keys()].filter((title) => title.startsWith('svc ')))
    for (const [title, [cwd, args]] of Object.entries(runs)) {
      const env = {
        ...controlPlane.env(DEPLOY_KEY),
        ...(args[0] === 'replay' && { SVC_RUNTIME_SECRET: 'secret-of-the-shop' }),
        ...(['init', 'logs', 'replay', 'whoami'].includes(args[0] ?? '') && { SVC_ACCOUNT_KEY: keyOf('svc_ak_') }),
      }
      const options = { env, configFolder: kept, timers: AT_ONCE, fetch: withShop }
      const { stdout } = await runSvc(cwd, [...args, '--json'], options)
      const printed: unknown = JSON.parse(stdout)
      expect(printed, `${title}: ${stdout}`).toMatchObject({ ok: true })
      expect(differences(exampleOf(title), printed), title).toEqual([])
    }
  })

  test('shows the document of a failure word for word', async () => {
    const { stdout } = await runSvc(createProject(shopProject()), ['deploy', '--json'], { env: { SVC_API_KEY: '' } })
    expect(JSON.parse(stdout)).toEqual(exampleOf('Output for scripts'))
  })
})

const CONVERSATION = 'turns: [{ user: Hello, model: [{ say: Hi. }], expect: { calls: [] } }]'
const SHOP = 'https://shop.example.com/svc'
const PROMOTED = { status: 200, body: { version: 4, status: 'active', traffic: 100 } }

let moments = 0
function nextMoment(): number {
  moments += 1
  return moments
}

/** The shop, at another moment each time that it is asked; everything else is asked as it is. */
const withShop: typeof fetch = async (request, init) => {
  const url = request instanceof Request ? request.url : String(request)
  return url.startsWith(SHOP) ? Response.json({ output: { at: nextMoment() } }) : fetch(request, init)
}

const deployment = (version: number) => {
  const deployed = { deployedAt: '2026-03-01T10:00:00.000Z', capabilityCount: 1 }
  return { version, status: version === 4 ? 'active' : 'superseded', ...deployed }
}
const READ = { schemaVersion: 2, capabilities: [{ name: 'order-status', version: '1.0.0', effect: 'read' }] }
const READ_CALL = {
  ...{ callId: 'call_1', capability: 'order-status', step: 1, status: 'completed', input: {}, output: {}, error: null },
  ...{ startedAt: '2026-03-01T10:00:00.000Z', durationMs: 1 },
}
const RUNTIME = '/v1/runtimes/rt_exampleShop'

/** What `svc replay` reads. */
const DEPLOYMENTS = {
  [`GET ${RUNTIME}`]: { status: 200, body: { endpoint: SHOP } },
  [`GET ${RUNTIME}/deployments?limit=200`]: {
    status: 200,
    body: { deployments: [deployment(5), deployment(4)], nextCursor: null },
  },
  [`GET ${RUNTIME}/deployments/4`]: { status: 200, body: { ...deployment(4), manifest: READ } },
  [`GET ${RUNTIME}/deployments/5`]: { status: 200, body: { ...deployment(5), manifest: READ } },
  'GET /v1/traces/exec_1': { status: 200, body: { capabilityCalls: [READ_CALL] } },
}

const ACCOUNT = { ownerId: 'own_1', email: 'you@example.com', tier: 'pro', createdAt: '2026-03-01T10:00:00.000Z' }

const DEVICE_LOGIN = {
  ...{ deviceCode: 'code', userCode: 'WDJB-MJHT', expiresIn: 600, interval: 5 },
  verificationUri: 'https://svc.example.com/dashboard/device',
  verificationUriComplete: 'https://svc.example.com/dashboard/device?code=WDJB-MJHT',
}
const SAVED = { keyId: 'key_1', key: keyOf('svc_ak_') }
const REVOKED = {
  ...{ keyId: 'key_1', name: 'svc on ada-laptop', prefix: 'svc_ak_0123…cdef' },
  ...{ createdAt: '2026-03-01T10:00:00.000Z', revokedAt: '2026-03-01T11:00:00.000Z' },
}

/** Every pause is over at once. */
const AT_ONCE: Timers = {
  now: () => 0,
  every: () => () => undefined,
  after(_delayMs, run) {
    run()
    return () => undefined
  },
}

const TRACE = {
  ...{ executionId: 'exec_1', runtimeId: 'rt_exampleShop', kind: 'execute', status: 'completed', finishReason: 'stop' },
  ...{ durationMs: 840, capabilityCalls: 3, failedCalls: 1, totalTokens: 1523 },
  ...{ startedAt: '2026-03-01T10:00:00.000Z', completedAt: '2026-03-01T10:00:00.840Z' },
}

const REGISTERED = {
  ...{ runtimeId: 'rt_fresh', projectId: 'proj_1', tier: 'free', secret: 'aSecret' },
  ...{ deployKey: DEPLOY_KEY, deployKeyPrefix: 'svc_sk_0123…cdef' },
  ...{ publicKey: keyOf('svc_pk_'), publicKeyPrefix: 'svc_pk_0123…cdef' },
}

/** A well-formed key that opens nothing. */
function keyOf(prefix: string): string {
  const body = `${prefix}0123456789abcdefghijklmnopqrstuv`
  return body + keyChecksum(body)
}

/** The first JSON sample of a section. */
function exampleOf(title: string): unknown {
  const [, example = 'null'] = /```json\n([\s\S]*?)```/.exec(sections().get(title) ?? '') ?? []
  return JSON.parse(example)
}

// The content of these files is the project’s own.
const FREE = ['inputSchema', 'outputSchema', 'output', 'manifest']

/** The places at which one document has a field or a kind of value that the other has not. Null may stand for any value. */
function differences(shown: unknown, printed: unknown, place = ''): string[] {
  if (shown === null || printed === null) return []
  if (Array.isArray(shown) && Array.isArray(printed)) {
    return shown.length === 0 || printed.length === 0 ? [] : differences(shown[0], printed[0], `${place}[0]`)
  }
  if (isJsonObject(shown) && isJsonObject(printed)) {
    return [...new Set([...Object.keys(shown), ...Object.keys(printed)])].flatMap((key) => {
      if (!(key in shown)) return [`${place}.${key} is not on the page`]
      if (!(key in printed)) return [`${place}.${key} is on the page alone`]
      return FREE.includes(key) ? [] : differences(shown[key], printed[key], `${place}.${key}`)
    })
  }
  return typeof shown === typeof printed && Array.isArray(shown) === Array.isArray(printed) ? [] : [`${place} differs`]
}
