import { DISCOVERY_TTL_SECONDS } from '@svc/contract'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { internal } from '../errors.ts'
import { answerJsonText } from '../http/json-answer.ts'
import { cachedRuntimeOf, confirmedRuntimeOf } from '../http/request-state.ts'
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
import { listResources, readResource } from './resources.ts'
import { type PublishedServer, publishedServer } from './tools.ts'

const CAPABILITIES = { tools: {}, resources: {} }
// All callers get the same, but for tools, which name a page to hosts that show one.
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
    const answer = await answerTool(deps, asked, request)
    const { challenges, svc, ...result } = { challenges: undefined, svc: undefined, ...answer }
    const { meta } = serverOf(reply)
    const shown = svc && request.showsPages ? { [META.cards]: svc } : undefined
    const own = challenges ? { [META.challenges]: challenges } : shown
    const _meta = own ? { ...Object(meta.value), ...own } : meta
    return request.era === 'modern' ? { resultType: 'complete', ...result, _meta } : { ...result, _meta }
  }
  await confirmedRuntimeOf(reply.request)
  const server = serverOf(reply)
  if (request.method === 'initialize') {
    return { protocolVersion: negotiated(request.params), capabilities: CAPABILITIES, serverInfo: server.info }
  }
  if (request.method === 'server/discover') {
    return {
      resultType: 'complete',
      supportedVersions: SUPPORTED_VERSIONS,
      capabilities: CAPABILITIES,
      _meta: { 'io.modelcontextprotocol/serverInfo': server.info },
      ...CACHED,
    }
  }
  const listed = listOf(deps, request, server)
  if (request.era === 'legacy') return { ...listed, _meta: server.meta }
  const kept = request.method === 'tools/list' ? { ...CACHED, cacheScope: 'private' } : CACHED
  return { resultType: 'complete', ...listed, _meta: server.meta, ...kept }
}

function listOf({ web: { cards } }: McpDeps, request: Request, { tools, cardsPolicy }: PublishedServer): object {
  const { method, params, era, showsPages } = request
  const page = cards === null ? null : { html: cards, policy: cardsPolicy }
  if (method === 'resources/read') return readResource(page, request)
  // Lists have one page, so there is no cursor that they could have given.
  if (params['cursor'] !== undefined) throw invalidParams('params.cursor is not one of this list')
  if (method === 'resources/list') return listResources(page)
  if (method === 'resources/templates/list') return { resourceTemplates: [] }
  return { tools: tools(era, showsPages && page !== null) }
}

function serverOf(reply: FastifyReply): PublishedServer {
  const { runtime } = cachedRuntimeOf(reply.request)
  if (!runtime.deployment) throw internal(new Error('a runtime without a deployment answered an MCP request'))
  return publishedServer(runtime, runtime.deployment)
}
