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
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import type { Clock } from '../lib/clock.ts'
import { limitTime } from '../lib/limit-time.ts'
import type { TraceSettings } from './trace-settings.ts'
import { parseTraceparent } from './traceparent.ts'
import type { Span, SpanAttributes, SpanName, Tracer } from './tracing.ts'

export interface OtlpContext {
  clock: Clock
  /** What this process is, as spans name it. */
  version: string
  nodeId: string
  logger: { warn(fields: object, message: string): void }
}

/** Spans that wait to be sent; what does not fit is dropped, so that a dead receiver costs a bounded memory. */
const QUEUE = { maxQueueSize: 4096, maxExportBatchSize: 512, scheduledDelayMillis: 2_000, exportTimeoutMillis: 10_000 }
const FLUSH_MS = 1_000
const COMPLAIN_EVERY_MS = 60_000
const VALUE_CHARACTERS = 128

/** Sends spans to a receiver of OTLP over HTTP. Nothing ever waits for it but the end of the process, and that briefly. */
export function createOtlpTracer(settings: TraceSettings, context: OtlpContext): Tracer {
  const exporter = complaining(new OTLPTraceExporter({ url: settings.url }), context)
  const root = new TraceIdRatioBasedSampler(settings.ratio)
  const provider = new NodeTracerProvider({
    resource: resourceOf(settings, context),
    // Callers are strangers: their trace is continued, but whether it is kept is not theirs to say.
    sampler: new ParentBasedSampler({ root, remoteParentSampled: root, remoteParentNotSampled: root }),
    spanProcessors: [new BatchSpanProcessor(exporter, QUEUE)],
  })
  const tracer = provider.getTracer('svc', context.version)
  return {
    begin(traceparent, attributes) {
      const name = `${attributes['http.request.method']} ${attributes['http.route'] ?? ''}`.trim()
      const kind = SpanKind.SERVER
      const options = { kind, attributes: allowed(attributes) }
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
  return remote
    ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, traceFlags: TraceFlags.SAMPLED, isRemote: true })
    : ROOT_CONTEXT
}

const ALLOWED = {
  'http.request.method': true,
  'http.route': true,
  'http.response.status_code': true,
  'svc.request_id': true,
  'svc.runtime_id': true,
  'svc.execution_id': true,
  'svc.execution_kind': true,
  'svc.status': true,
  'svc.finish_reason': true,
  'svc.call_id': true,
  'svc.capability': true,
  'gen_ai.provider.name': true,
  'gen_ai.request.model': true,
  'gen_ai.usage.input_tokens': true,
  'gen_ai.usage.output_tokens': true,
} satisfies Record<keyof SpanAttributes, true>

// The types say the same; this is for the day when somebody widens an object on its way here.
function allowed(attributes: SpanAttributes): Attributes {
  const kept: Attributes = {}
  for (const [name, value] of Object.entries(attributes)) {
    if (!Object.hasOwn(ALLOWED, name)) continue
    kept[name] = typeof value === 'string' ? value.slice(0, VALUE_CHARACTERS) : value
  }
  return kept
}

type Resource = NonNullable<NodeTracerConfig['resource']>

function resourceOf(settings: TraceSettings, { version, nodeId }: OtlpContext): Resource {
  const attributes = {
    ...settings.resource,
    'service.name': settings.serviceName,
    'service.version': version,
    'service.instance.id': nodeId,
  }
  const resource: Resource = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  }
  return resource
}

/** Says once a minute that spans do not arrive: a receiver that is down must not fill the log. */
function complaining(exporter: OTLPTraceExporter, { clock, logger }: OtlpContext): SpanExporter {
  let complainedAt = Number.NEGATIVE_INFINITY
  let lost = 0
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.error) {
          lost += spans.length
          if (clock.now() - complainedAt >= COMPLAIN_EVERY_MS) {
            complainedAt = clock.now()
            logger.warn({ lost, cause: result.error.name }, 'spans could not be sent')
            lost = 0
          }
        }
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
}
