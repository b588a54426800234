import { createServer, type IncomingMessage } from 'node:http'
import { listenOnFreePort } from './listen-on-free-port.ts'

/** A span as it arrived, its attributes by name. */
export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** Undefined where it begins a trace. */
  readonly parentSpanId: string | undefined
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  readonly hasFailed: boolean
}

/** A receiver of OTLP over HTTP, JSON. */
export interface OtlpDouble {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT is set to. */
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  /** What the process that sent the spans says of itself. */
  readonly resource: Readonly<Record<string, unknown>>
  /** Every body as it came, for what must not be in it. */
  readonly bodies: readonly string[]
  /** From now on every request is answered with this status. */
  answerWith(status: number): void
  close(): Promise<void>
}

/** Starts a receiver that keeps what it is sent. */
export async function startOtlpDouble(): Promise<OtlpDouble> {
  const bodies: string[] = []
  const spans: ReceivedSpan[] = []
  const resource: Record<string, unknown> = {}
  let status = 200
  const server = createServer((request, response) => {
    const answer = (body: string) => {
      bodies.push(body)
      if (status === 200 && request.url === '/v1/traces') read(JSON.parse(body), { spans, resource })
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    }
    textOf(request).then(answer, () => response.destroy())
  })
  const { url, close } = await listenOnFreePort(server)
  return {
    url,
    spans,
    resource,
    bodies,
    answerWith(next) {
      status = next
    },
    close,
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

interface Attribute {
  key: string
  value: Record<string, unknown>
}

interface Sent {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: SentSpan[] }[]
  }[]
}

interface SentSpan {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  attributes: Attribute[]
  status?: { code?: number }
}

const ERROR_STATUS = 2

function read(sent: Sent, into: { spans: ReceivedSpan[]; resource: Record<string, unknown> }): void {
  for (const { resource, scopeSpans } of sent.resourceSpans) {
    Object.assign(into.resource, plain(resource.attributes))
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      const { name, traceId, spanId, parentSpanId, kind } = span
      const hasFailed = span.status?.code === ERROR_STATUS
      into.spans.push({ name, traceId, spanId, parentSpanId, kind, attributes: plain(span.attributes), hasFailed })
    }
  }
}

function plain(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
