/** What a trace is made of. */
export type SpanName = 'request' | 'admit' | 'model call' | 'capability call' | 'settle'

/**
 * All that a span may say: names, numbers and ids of ours. Nothing that somebody wrote or was answered, no credential and no
 * address has a place here.
 */
export interface SpanAttributes {
  'http.request.method'?: string
  /** The pattern, not the address. */
  'http.route'?: string
  'http.response.status_code'?: number
  'svc.request_id'?: string
  'svc.runtime_id'?: string
  'svc.execution_id'?: string
  'svc.execution_kind'?: string
  'svc.status'?: string
  'svc.finish_reason'?: string
  'svc.call_id'?: string
  'svc.capability'?: string
  'gen_ai.provider.name'?: string
  'gen_ai.request.model'?: string
  'gen_ai.usage.input_tokens'?: number
  'gen_ai.usage.output_tokens'?: number
}

/** A stretch of work, and what the work within it belongs to. */
export interface Span {
  /** 32 hexadecimal digits; null where nothing is traced. */
  readonly traceId: string | null
  /** What work elsewhere continues, as a W3C `traceparent`; undefined where there is no trace to continue. */
  readonly traceparent: string | undefined
  begin(name: SpanName, attributes?: SpanAttributes): Span
  add(attributes: SpanAttributes): void
  /** Once; later calls do nothing. */
  end(outcome?: 'ok' | 'failed'): void
}

/** Where requests become traces. */
export interface Tracer {
  /** `traceparent` is the caller’s, as it came. */
  begin(traceparent: string | undefined, attributes: SpanAttributes): Span
  /** Sends what is left, for as long as that may take. */
  close(): Promise<void>
}

/** How {@link within} names what it does, and which of its results are failures. */
interface WithinOptions<T> {
  attributes?: SpanAttributes
  hasFailed?: (result: T) => boolean
}

/** Does `work` within a span of its own, which has failed where the work throws. Without a tracer there is no span. */
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
