export type SpanName = 'request' | 'admit' | 'model call' | 'capability call' | 'settle'

/** The attributes of spans that are text, and those that are numbers. All are names, ids and counts of the service. */
export const TEXT_ATTRIBUTES = [
  'http.request.method',
  'http.route',
  'svc.request_id',
  'svc.runtime_id',
  'svc.execution_id',
  'svc.execution_kind',
  'svc.status',
  'svc.finish_reason',
  'svc.call_id',
  'svc.capability',
  'gen_ai.provider.name',
  'gen_ai.request.model',
] as const
export const NUMBER_ATTRIBUTES = [
  'http.response.status_code',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
] as const

/** All attributes that a span may have: no message text, no credential and no address. */
export type SpanAttributes = Partial<
  Record<(typeof TEXT_ATTRIBUTES)[number], string> & Record<(typeof NUMBER_ATTRIBUTES)[number], number>
>

export interface Span {
  /** 32 hexadecimal digits; null where nothing is traced. */
  readonly traceId: string | null
  /** The W3C `traceparent` of outgoing calls; undefined where there is no trace to continue. */
  readonly traceparent: string | undefined
  begin(name: SpanName, attributes?: SpanAttributes): Span
  add(attributes: SpanAttributes): void
  /** Later calls do nothing. */
  end(outcome?: 'ok' | 'failed'): void
}

export interface Tracer {
  /** `traceparent` is the caller’s, unchecked. */
  begin(traceparent: string | undefined, attributes: SpanAttributes): Span
  /** Sends the remaining spans, for a limited time. */
  close(): Promise<void>
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** The ids in a `traceparent` (W3C Trace Context); null where it is absent or invalid. */
export function parseTraceparent(given: string | undefined): { traceId: string; spanId: string } | null {
  if (given === undefined) return null
  const [, traceId, spanId] = TRACEPARENT.exec(given) ?? []
  return traceId && spanId ? { traceId, spanId } : null
}

/** Belongs to no trace. */
export const NO_SPAN: Span = untraced(undefined)

/** Traces nothing. A caller’s trace goes on to endpoints unchanged. */
export const NO_TRACER: Tracer = {
  begin: (traceparent) => (parseTraceparent(traceparent) ? untraced(traceparent) : NO_SPAN),
  close: async () => {},
}

function untraced(traceparent: string | undefined): Span {
  const span: Span = { traceId: null, traceparent, begin: () => span, add: () => {}, end: () => {} }
  return span
}

interface WithinOptions<T> {
  attributes?: SpanAttributes
  /** Whether a result counts as a failure. */
  hasFailed?: (result: T) => boolean
}

/** Does `work` in a span of its own, which fails where the work throws. Without a tracer there is no span. */
export function within<T>(
  parent: Span,
  name: SpanName,
  work: (span: Span) => Promise<T>,
  options: WithinOptions<T> = {},
): Promise<T> {
  return parent.traceId === null ? work(parent) : endedWith(parent.begin(name, options.attributes), work, options)
}

async function endedWith<T>(span: Span, work: (span: Span) => Promise<T>, options: WithinOptions<T>): Promise<T> {
  try {
    const result = await work(span)
    span.end(options.hasFailed?.(result) ? 'failed' : 'ok')
    return result
  } catch (error) {
    span.end('failed')
    throw error
  }
}
