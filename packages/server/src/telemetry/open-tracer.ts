import { NO_TRACER } from './no-tracer.ts'
import type { OtlpContext } from './otlp-tracer.ts'
import type { TraceSettings } from './trace-settings.ts'
import type { Tracer } from './tracing.ts'

/** The configured tracer, and none where no receiver is named. The libraries are loaded only where there is one. */
export async function openTracer(settings: TraceSettings | null, context: OtlpContext): Promise<Tracer> {
  if (settings === null) return NO_TRACER
  const { createOtlpTracer } = await import('./otlp-tracer.ts')
  return createOtlpTracer(settings, context)
}
