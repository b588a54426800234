import { createServer, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

export type Recorded = { method: string; path: string; authorization: string | undefined; body: unknown }
export type Reply = { status: number; body: unknown; headers?: Record<string, string> }

export type FakeControlPlane = {
  readonly url: string
  readonly requests: readonly Recorded[]
  readonly env: (key: string) => Record<string, string>
}

/** A real HTTP server that answers by script, `GET /v1/runtime/status` → reply, and records what it was asked. */
export async function startControlPlane(script: Record<string, Reply | string>): Promise<FakeControlPlane> {
  const requests: Recorded[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request
    requests.push({ method, path, authorization: request.headers.authorization, body: await readJson(request) })
    const reply = script[`${method} ${path}`] ?? envelope(404, 'not_found', 'There is nothing here.')
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

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text === '' ? null : JSON.parse(text)
}
