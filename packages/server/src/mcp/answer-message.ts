import { DISCOVERY_TTL_SECONDS } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { internal } from '../errors.ts'
import { answerJsonText } from '../http/json-answer.ts'
import { cachedRuntimeOf } from '../http/request-state.ts'
import { type Asked, answerTool, type McpDeps } from './answer-tool.ts'
import {
  type Answer,
  invalidParams,
  META,
  type Message,
  MessageFault,
  refusalBody,
  SUPPORTED_VERSIONS,
} from './messages.ts'
import { judgeRequest, negotiated, type Request } from './protocol-rules.ts'
import { type PublishedServer, publishedServer } from './tools.ts'

const CAPABILITIES = { tools: {} }
// All callers get the same lists.
const CACHED = { ttlMs: DISCOVERY_TTL_SECONDS * 1000, cacheScope: 'public' }

/** The answer to one message; undefined to a notification, which is accepted and ignored. */
export async function answerMessage(
  deps: McpDeps,
  asked: Asked,
  message: Message,
): Promise<z.input<typeof Answer> | undefined> {
  const { id } = message
  const { reply } = asked
  if (id === undefined) return undefined
  try {
    const request = judgeRequest(message, reply.request.headers)
    const result = await resultOf(deps, asked, request)
    answerJsonText(reply)
    return { jsonrpc: '2.0', id, result: { ...result } }
  } catch (error) {
    if (!(error instanceof MessageFault)) throw error
    const { code, message: text, data } = error
    reply.code(error.status)
    return refusalBody(id, { code, message: text, ...(data && { data }) })
  }
}

async function resultOf(deps: McpDeps, asked: Asked, request: Request): Promise<object> {
  const { reply } = asked
  if (request.method === 'ping') return {}
  if (request.method === 'tools/call') {
    const { challenges, ...result } = { challenges: undefined, ...(await answerTool(deps, asked, request)) }
    const { meta } = serverOf(reply)
    const _meta = challenges ? { ...Object(meta.value), [META.challenges]: challenges } : meta
    return request.era === 'modern' ? { resultType: 'complete', ...result, _meta } : { ...result, _meta }
  }
  const cached = cachedRuntimeOf(reply.request)
  // No admission confirms that the cached deployment still serves.
  if (!cached.isFresh) await cached.refresh()
  const { info, meta, tools } = serverOf(reply)
  if (request.method === 'initialize') {
    return { protocolVersion: negotiated(request.params), capabilities: CAPABILITIES, serverInfo: info }
  }
  if (request.method === 'server/discover') {
    return {
      resultType: 'complete',
      supportedVersions: SUPPORTED_VERSIONS,
      capabilities: CAPABILITIES,
      _meta: { 'io.modelcontextprotocol/serverInfo': info },
      ...CACHED,
    }
  }
  // The list has one page, so there is no cursor that it could have given.
  if (request.params['cursor'] !== undefined) throw invalidParams('params.cursor is not one of this list')
  if (request.era === 'legacy') return { tools: tools.legacy, _meta: meta }
  return { resultType: 'complete', tools: tools.modern, _meta: meta, ...CACHED }
}

function serverOf(reply: FastifyReply): PublishedServer {
  const { runtime } = cachedRuntimeOf(reply.request)
  if (!runtime.deployment) throw internal(new Error('a runtime without a deployment answered an MCP request'))
  return publishedServer(runtime, runtime.deployment)
}
