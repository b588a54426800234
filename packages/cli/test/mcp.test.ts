import { isOutOfReach } from '@svc/contract/mcp-hosts'
import { expect, test } from 'vitest'
import { envelope, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { createProject, shopProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const LIVE = ['refund', 'order-status']

async function mcp(reply: ReturnType<typeof statusReply>, ...args: string[]) {
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': reply })
  const outcome = await runSvc(createProject(shopProject()), ['mcp', ...args], { env: controlPlane.env(DEPLOY_KEY) })
  return { ...outcome, url: `${controlPlane.url}/v1/mcp/rt_exampleShop` }
}

// holds CLI-31
test('mcp prints the address and what each host is told', async () => {
  const { exitCode, stdout, stderr, url } = await mcp(statusReply(LIVE, 4, { name: 'Exämple Shop!' }))
  expect(exitCode).toBe(0)
  expect(stdout.split('\n').slice(0, 6)).toEqual([
    url,
    '',
    'Claude Code',
    'Run in a terminal:',
    `  claude mcp add --transport http example-shop '${url}'`,
    '',
  ])
  expect(stdout).toContain(
    `  {\n    "mcpServers": {\n      "example-shop": {\n        "url": "${url}"\n      }\n    }\n  }\n`,
  )
  expect(stdout).toContain('"type": "http"')
  expect(stderr).toContain('reach servers on the internet alone')
})

test('mcp --json has the address and a text for each host', async () => {
  const { stdout, url } = await mcp(statusReply(LIVE), '--json')
  const document = JSON.parse(stdout)
  expect(document).toMatchObject({ ok: true, runtimeId: 'rt_exampleShop', url, deployment: 4, capabilities: LIVE })
  const texts = new Map<string, string>(document.hosts.map(({ id, text }: Record<string, string>) => [id, text]))
  expect([...texts.keys()]).toEqual(['claude-code', 'claude', 'cursor', 'vs-code', 'chatgpt'])
  expect(JSON.parse(texts.get('cursor') ?? '')).toEqual({ mcpServers: { 'rt-exampleshop': { url } } })
  expect(JSON.parse(texts.get('vs-code') ?? '')).toEqual({ servers: { 'rt-exampleshop': { type: 'http', url } } })
  expect([texts.get('claude'), texts.get('chatgpt')]).toEqual([url, url])
})

// holds CLI-32
test.each([
  ['a deployment', statusReply([], null), 'nothing was deployed to it.', 'Run `svc deploy`.'],
  ['an endpoint', statusReply(LIVE, 4, { endpoint: null }), 'it has no endpoint.', 'Set `endpoint` in svc.config.ts'],
])('mcp without %s says so and exits with 3', async (_, reply, message, advice) => {
  const { exitCode, stdout, stderr } = await mcp(reply)
  expect([exitCode, stdout]).toEqual([3, ''])
  expect(stderr).toContain(message)
  expect(stderr).toContain(advice)
})

test('mcp with a key that is not accepted exits with 4', async () => {
  const refusal = envelope(401, 'unauthorized', 'Send a valid credential.')
  const controlPlane = await startControlPlane({ 'GET /v1/runtime/status': refusal })
  const { exitCode } = await runSvc(createProject(shopProject()), ['mcp'], { env: controlPlane.env(DEPLOY_KEY) })
  expect(exitCode).toBe(4)
})

test.each([
  ['http://127.0.0.1:8787/v1', true],
  ['http://localhost', true],
  ['http://192.168.1.4', true],
  ['http://[::1]:80', true],
  ['https://svc.example.com/v1', false],
  ['https://172.40.0.1', false],
])('%s is out of reach for hosts elsewhere: %s', (url, expected) => expect(isOutOfReach(url)).toBe(expected))
