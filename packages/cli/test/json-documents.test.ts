import { buildDiscoveryManifest, DeploymentManifest, keyChecksum } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { deployReply, envelope, type Reply, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const ACCOUNT_BODY = 'svc_ak_0123456789abcdefghijklmnopqrstuv'
const ACCOUNT_KEY = ACCOUNT_BODY + keyChecksum(ACCOUNT_BODY)
const CALL = ['dev', 'call', 'refund', '--input', '{"id": "1"}']
const PULL = ['manifest', 'pull', '--runtime', 'rt_exampleShop']
const COMMANDS = {
  init: ['init', 'fresh', '--yes'],
  'dev --check': ['dev', '--check'],
  'dev call': CALL,
  generate: ['generate'],
  deploy: ['deploy'],
  status: ['status'],
  'manifest pull': PULL,
}

const published = buildDiscoveryManifest({
  manifest: DeploymentManifest.parse({ schemaVersion: 2, capabilities: [], adp: { namespace: 'com.example' } }),
  ...{ runtimeId: 'rt_exampleShop', runtimeName: 'Shop', baseUrl: 'https://svc.example.com' },
})
const ANSWERS: Record<string, Reply> = {
  'GET /v1/runtime/status': statusReply(['refund']),
  'POST /v1/deployments': deployReply([{ name: 'refund', hasInputSchema: true }]),
  'GET /v1/runtime/rt_exampleShop/manifest': { status: 200, body: published.ok ? published.document : null },
}

/** The whole of stdout, which has to be one document and nothing else. */
const Document = z.union([
  z.looseObject({ ok: z.literal(true) }),
  z.strictObject({
    ok: z.literal(false),
    error: z.strictObject({
      kind: z.enum(['failure', 'usage', 'project', 'server']),
      message: z.string().min(1),
      lines: z.array(z.string()),
      fieldErrors: z.record(z.string(), z.array(z.string())).optional(),
    }),
  }),
])

async function documentOf(
  args: readonly string[],
  { files = {}, answers = {}, env = {} }: { files?: object; answers?: Record<string, Reply>; env?: object } = {},
) {
  const controlPlane = await startControlPlane(answers)
  const folder = createProject({ ...shopProject(), ...files })
  const outcome = await runSvc(folder, [...args, '--json'], { env: { ...controlPlane.env(DEPLOY_KEY), ...env } })
  const document = Document.parse(JSON.parse(outcome.stdout))
  return { exitCode: outcome.exitCode, stderr: outcome.stderr, kind: document.ok ? null : document.error.kind }
}

/** The commands of these that work on the project’s own files, and those that ask the control plane. */
const OF_PROJECT = ['dev --check', 'dev call', 'generate', 'deploy', 'status'] as const
const OF_CONTROL_PLANE = ['init', 'deploy', 'status', 'manifest pull'] as const
const ALL = ['init', 'manifest pull', ...OF_PROJECT] as const

describe('with --json there is one document on stdout', () => {
  test.each(ALL)('when svc %s succeeds', async (name) => {
    expect(await documentOf(COMMANDS[name], { answers: ANSWERS })).toMatchObject({ exitCode: 0, kind: null })
  })

  test.each(ALL)('when svc %s is called wrongly', async (name) => {
    const outcome = await documentOf([...COMMANDS[name], '--nope'], { answers: ANSWERS })
    expect(outcome).toMatchObject({ exitCode: 2, kind: 'usage' })
  })

  test.each(OF_PROJECT)('when the project of svc %s is at fault', async (name) => {
    const files = { 'svc.config.ts': 'export default { tier: "pro" }' }
    const outcome = await documentOf(COMMANDS[name], { answers: ANSWERS, files })
    expect(outcome).toMatchObject({ exitCode: 3, kind: 'project' })
  })

  test.each(OF_CONTROL_PLANE)('when what answers svc %s is no control plane', async (name) => {
    const answers = toAll({ status: 502, body: { message: 'bad gateway' } })
    const outcome = await documentOf(COMMANDS[name], { answers, env: { SVC_ACCOUNT_KEY: ACCOUNT_KEY } })
    expect(outcome).toMatchObject({ exitCode: 4, kind: 'server' })
  })

  test.each(OF_CONTROL_PLANE)('when the control plane refuses svc %s', async (name) => {
    const answers = toAll(envelope(429, 'rate_limit_exceeded', 'Wait a moment.'))
    const outcome = await documentOf(COMMANDS[name], { answers, env: { SVC_ACCOUNT_KEY: ACCOUNT_KEY } })
    expect(outcome).toMatchObject({ exitCode: 1, kind: 'failure' })
  })
})

function toAll(reply: Reply): Record<string, Reply> {
  return Object.fromEntries([...Object.keys(ANSWERS), 'POST /v1/runtimes'].map((request) => [request, reply]))
}
