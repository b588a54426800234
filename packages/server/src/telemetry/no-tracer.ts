import { parseTraceparent } from './traceparent.ts'
import type { Span, Tracer } from './tracing.ts'

/** Traces nothing. A caller’s trace goes on to endpoints as it came, as from anybody who takes no part in it. */
export const NO_TRACER: Tracer = {
  begin: (traceparent) => (parseTraceparent(traceparent) ? untraced(traceparent) : NO_SPAN),
  close: async () => {},
}

function untraced(traceparent: string | undefined): Span {
  const span: Span = { traceId: null, traceparent, begin: () => span, add: () => {}, end: () => {} }
  return span
}

/** Belongs to no trace. */
export const NO_SPAN: Span = untraced(undefined)
