import { isJsonObject } from '@svc/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { describeApi } from '../../src/http/openapi/document.ts'
import { collectOperations, type Operation } from '../../src/http/openapi/operations.ts'

/** Judges one answer; null when it is as the description says. */
type Judge = (answer: Answer) => string | null

interface Answer {
  method: string
  /** In the router’s form; undefined where no route was found. */
  route: string | undefined
  status: number
  mediaType: string
  requestId: unknown
  payload: unknown
}

const judges = new Map<string, Judge>()

/**
 * Holds every answer of an app against its own OpenAPI description: status, content type and body, with no field that is
 * not described. Ask before the app is ready. The function throws what was found since it was last called.
 */
export function checkAnswers(app: FastifyInstance): () => void {
  const operations = collectOperations(app)
  const hidden = collectHidden(app)
  const faults: string[] = []
  let judge: Judge | undefined
  app.addHook('onSend', async (request, reply, payload) => {
    const route = request.is404 ? undefined : request.routeOptions.url
    if (request.method === 'OPTIONS' || hidden.has(`${request.method} ${route}`)) return
    const answer = { ...answerOf(request, reply), route, payload }
    judge ??= judgeFor(operations())
    const fault = judge(answer)
    if (fault) faults.push(`${request.method} ${route ?? request.url} answered ${reply.statusCode}: ${fault}`)
  })
  return () => {
    if (faults.length > 0) throw new Error(`not as /openapi.json says:\n${faults.splice(0).join('\n')}`)
  }
}

function collectHidden(app: FastifyInstance): Set<string> {
  const hidden = new Set<string>()
  app.addHook('onRoute', (route) => {
    if (!route.schema?.hide) return
    for (const method of [route.method].flat()) hidden.add(`${method} ${route.url}`)
  })
  return hidden
}

function answerOf(request: FastifyRequest, reply: FastifyReply): Omit<Answer, 'route' | 'payload'> {
  const [mediaType = ''] = String(reply.getHeader('content-type') ?? '').split(';')
  const requestId = reply.getHeader('x-request-id')
  return { method: request.method, status: reply.statusCode, mediaType, requestId }
}

// The description is the same for every service with the same routes; writing it and compiling its schemas is not free.
function judgeFor(operations: Operation[]): Judge {
  const key = operations.map(({ method, path }) => `${method} ${path}`).join('\n')
  const judge = judges.get(key) ?? createJudge(operations)
  judges.set(key, judge)
  return judge
}

/** A judge of answers by the description of these operations. */
export function createJudge(operations: readonly Operation[]): Judge {
  const { paths, components } = describeApi(operations, { baseUrl: 'https://svc.test', version: '0.0.0' })
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'openapi', paths: closed(paths), components: closed(components) })
  const compiled = new Map<string, ValidateFunction>()
  const bodyFault = (pointer: string, body: unknown) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
    compiled.set(pointer, validate)
    return validate(body) ? null : `${ajv.errorsText(validate.errors, { dataVar: 'body' })} in ${JSON.stringify(body)}`
  }
  return (answer) => {
    if (typeof answer.requestId !== 'string') return 'there is no x-request-id'
    if (answer.route === undefined) return contentFault(answer, ERROR, bodyFault)
    const path = answer.route.replace(/:(\w+)/g, '{$1}')
    const verb = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase()
    const response = paths[path]?.[verb]?.responses[String(answer.status)]
    if (!response) return 'the status is not described'
    if (answer.method === 'HEAD') return null
    if (!('$ref' in response)) {
      const pointer = `/paths/${escapePart(path)}/${verb}/responses/${answer.status}`
      return contentFault(answer, { ...response, pointer }, bodyFault)
    }
    const pointer = response.$ref.slice(1)
    return contentFault(answer, { ...components.responses[pointer.split('/').at(-1) ?? ''], pointer }, bodyFault)
  }
}

/** What a response may hold, and where that stands in the document. */
interface Described {
  content?: Record<string, unknown>
  pointer: string
}

const ERROR: Described = { content: { 'application/json': {} }, pointer: '/components/responses/NotFound' }

function contentFault(
  { mediaType, payload }: Answer,
  { content, pointer }: Described,
  bodyFault: (pointer: string, body: unknown) => string | null,
): string | null {
  if (!content) return isEmpty(payload) ? null : 'no body is described'
  if (!content[mediaType]) return `the content type “${mediaType}” is not described`
  if (mediaType !== 'application/json') return null
  return bodyFault(`${pointer}/content/${escapePart(mediaType)}/schema`, parse(payload))
}

/** A copy in which no described object takes a field that is not described: whatever else is sent was not meant to be. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (!isJsonObject(value)) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]))
  const isOpen = value['type'] === 'object' && isJsonObject(value['properties']) && !('additionalProperties' in value)
  return isOpen ? { ...copy, additionalProperties: false } : copy
}

function isEmpty(payload: unknown): boolean {
  return payload === undefined || payload === null || payload === ''
}

function parse(payload: unknown): unknown {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
  return JSON.parse(payload.toString())
}

function escapePart(pointerPart: string): string {
  return encodeURIComponent(pointerPart.replace(/~/g, '~0').replace(/\//g, '~1'))
}
