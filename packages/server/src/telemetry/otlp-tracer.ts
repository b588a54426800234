import {
  type Attributes,
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  BatchSpanProcessor,
  type NodeTracerConfig,
  NodeTracerProvider,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import type { Clock } from '../lib/clock.ts'
import { limitTime } from '../lib/limit-time.ts'
import type { TraceSettings } from './trace-settings.ts'
import {
  NUMBER_ATTRIBUTES,
  parseTraceparent,
  type Span,
  type SpanAttributes,
  type SpanName,
  TEXT_ATTRIBUTES,
  type Tracer,
} from './tracing.ts'

export interface OtlpContext {
  clock: Clock
  /** Names this process in its spans. */
  version: string
  nodeId: string
  logger: { warn(fields: object, message: string): void }
}

/** Spans past the queue are dropped, so that the memory of a dead receiver is bounded. */
const QUEUE = { maxQueueSize: 4096, maxExportBatchSize: 512, scheduledDelayMillis: 2_000, exportTimeoutMillis: 10_000 }
const FLUSH_MS = 1_000
const WARNING_INTERVAL_MS = 60_000
const VALUE_CHARACTERS = 128

/** Sends spans to a receiver of OTLP over HTTP. Only the end of the process waits for it, for a second at most. */
export function createOtlpTracer(settings: TraceSettings, context: OtlpContext): Tracer {
  const provider = new NodeTracerProvider({
    resource: resourceOf(settings, context),
    // By the id of the trace alone: callers must not decide whether their traces are kept.
    sampler: new TraceIdRatioBasedSampler(settings.ratio),
    spanProcessors: [new BatchSpanProcessor(new WarningExporter(settings.url, context), QUEUE)],
  })
  const tracer = provider.getTracer('svc', context.version)
  return {
    begin(traceparent, attributes) {
      const name = `${attributes['http.request.method']} ${attributes['http.route'] ?? ''}`.trim()
      const options = { kind: SpanKind.SERVER, attributes: allowed(attributes) }
      return toSpan(tracer, tracer.startSpan(name, options, remoteContext(traceparent)))
    },
    close: () =>
      limitTime(
        provider.shutdown().catch(() => {}),
        FLUSH_MS,
        undefined,
      ),
  }
}

function toSpan(tracer: OtelTracer, span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const within = trace.setSpan(ROOT_CONTEXT, span)
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    begin(name, attributes = {}) {
      return toSpan(tracer, tracer.startSpan(name, { kind: KINDS[name], attributes: allowed(attributes) }, within))
    },
    add: (attributes) => void span.setAttributes(allowed(attributes)),
    end(outcome = 'ok') {
      if (!span.isRecording()) return
      if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

const KINDS: Readonly<Record<SpanName, SpanKind>> = {
  request: SpanKind.SERVER,
  admit: SpanKind.INTERNAL,
  'model call': SpanKind.CLIENT,
  'capability call': SpanKind.CLIENT,
  settle: SpanKind.INTERNAL,
}

function remoteContext(traceparent: string | undefined): Context {
  const remote = parseTraceparent(traceparent)
  if (remote === null) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, { ...remote, traceFlags: TraceFlags.SAMPLED, isRemote: true })
}

const ALLOWED: ReadonlySet<string> = new Set([...TEXT_ATTRIBUTES, ...NUMBER_ATTRIBUTES])

// The type allows the same attributes. This filter also covers objects with further fields.
function allowed(attributes: SpanAttributes): Attributes {
  const entries = Object.entries(attributes).filter(([name]) => ALLOWED.has(name))
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, VALUE_CHARACTERS) : value]),
  )
}

type Resource = NonNullable<NodeTracerConfig['resource']>

function resourceOf(settings: TraceSettings, { version, nodeId }: OtlpContext): Resource {
  const attributes = {
    ...settings.resource,
    'service.name': settings.serviceName,
    'service.version': version,
    'service.instance.id': nodeId,
  }
  const resource: Resource = { attributes, merge: () => resource, getRawAttributes: () => Object.entries(attributes) }
  return resource
}

/** Warns once a minute that spans could not be sent: a receiver that is down must not fill the log. */
class WarningExporter extends OTLPTraceExporter {
  readonly #context: OtlpContext
  #warnedAt = Number.NEGATIVE_INFINITY
  #lost = 0

  constructor(url: string, context: OtlpContext) {
    super({ url })
    this.#context = context
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans, (result) => {
      if (result.error) this.#warn(spans.length, result.error.name)
      done(result)
    })
  }

  #warn(lost: number, cause: string): void {
    const { clock, logger } = this.#context
    this.#lost += lost
    if (clock.now() - this.#warnedAt < WARNING_INTERVAL_MS) return
    this.#warnedAt = clock.now()
    logger.warn({ lost: this.#lost, cause }, 'spans could not be sent')
    this.#lost = 0
  }
}
