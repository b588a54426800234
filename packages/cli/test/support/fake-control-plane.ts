import { createServer, type IncomingMessage } from 'node:http'
import { RuntimeStatus } from '@svc/contract'
import { onTestFinished } from 'vitest'

export type Recorded = { method: string; path: string; authorization: string | undefined; body: unknown }
export type Reply = { status: number; body: unknown; headers?: Record<string, string> }

export type FakeControlPlane = {
  readonly url: string
  readonly requests: readonly Recorded[]
  readonly env: (key: string) => Record<string, string>
}

/**
 * A real HTTP server that answers by script, `GET /v1/runtime/status` → reply, and records what it was asked. The deployment
 * that a scripted status tells of is the one of `shopProject` with its capabilities, and is not recorded, unless it is scripted.
 */
export async function startControlPlane(script: Record<string, Reply | string>): Promise<FakeControlPlane> {
  const requests: Recorded[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request
    const body = await readJson(request)
    const unscripted = script[`${method} ${path}`] ? null : derived(script, `${method} ${path}`)
    if (!unscripted) requests.push({ method, path, authorization: request.headers.authorization, body })
    const reply = script[`${method} ${path}`] ?? unscripted ?? envelope(404, 'not_found', 'There is nothing here.')
    if (typeof reply === 'string') return response.writeHead(200, { 'content-type': 'text/html' }).end(reply)
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    return response.end(JSON.stringify(reply.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const url = `http://127.0.0.1:${port}`
  return { url, requests, env: (key) => ({ SVC_API_KEY: key, SVC_BASE_URL: url }) }
}

export function envelope(status: number, code: string, message: string, fieldErrors?: Record<string, string[]>): Reply {
  return { status, body: { error: { code, message, ...(fieldErrors && { details: { fieldErrors } }) } } }
}

/** The status route’s answer with these live capabilities; version null is before the first deployment. */
export function statusReply(capabilities: readonly string[], version: number | null = 4, fields: object = {}): Reply {
  const deployment = version === null ? null : { version, status: 'active', deployedAt: '2026-03-01T10:00:00.000Z' }
  return {
    status: 200,
    body: {
      runtimeId: 'rt_exampleShop',
      deployment,
      capabilities,
      connection: { status: 'online', transport: 'http' },
      health: 'healthy',
      endpoint: 'https://shop.example.com/svc',
      provider: { name: 'demo', model: 'rules' },
      ...fields,
    },
  }
}

export function deployReply(
  capabilities: readonly { name: string; hasInputSchema: boolean }[],
  warnings: readonly string[] = [],
): Reply {
  return { status: 201, body: { version: 5, status: 'active', capabilities, warnings } }
}

function derived(script: Record<string, Reply | string>, route: string): Reply | null {
  const status = script['GET /v1/runtime/status']
  if (route !== 'GET /v1/runtime/deployment' || typeof status !== 'object') return null
  const parsed = RuntimeStatus.safeParse(status.body)
  return parsed.success
    ? deploymentReply(
        parsed.data.capabilities.map((name) => ({
          ...shopCapability(name),
          ...deprecationOf(parsed.data, name),
        })),
      )
    : null
}

function deprecationOf({ deprecated }: RuntimeStatus, name: string): object {
  const announced = deprecated.find((capability) => capability.name === name)
  if (!announced) return {}
  const { deprecatedSince, removalNotBefore } = announced
  return { deprecated: true, deprecatedSince, ...(removalNotBefore !== null && { removalNotBefore }) }
}

/** A capability as `runtimeModule` defines it. */
export function shopCapability(name: string) {
  const inputSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
  return { name, version: '1.0.0', description: `About ${name}`, actions: [{ name, inputSchema }] }
}

/** The serving deployment’s answer, with the settings of `shopProject`. */
export function deploymentReply(capabilities: readonly object[], settings: object = {}): Reply {
  const manifest = {
    schemaVersion: 2,
    capabilities,
    endpoint: 'https://shop.example.com/svc',
    website: { name: 'Example Shop', url: 'https://shop.example.com' },
    adp: { namespace: 'com.example.shop' },
    agent: { instructions: 'Be brief.' },
    ...settings,
  }
  const deployedAt = '2026-03-01T10:00:00.000Z'
  return {
    status: 200,
    body: { version: 4, status: 'active', deployedAt, capabilityCount: capabilities.length, manifest },
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text === '' ? null : JSON.parse(text)
}
