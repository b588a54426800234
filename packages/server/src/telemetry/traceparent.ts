const VALID = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** Where a caller’s trace stands. */
export interface TraceContext {
  traceId: string
  spanId: string
}

/** Reads a `traceparent` (W3C Trace Context); null where it is absent or not a valid one. */
export function parseTraceparent(given: string | undefined): TraceContext | null {
  if (given === undefined) return null
  const [, traceId, spanId] = VALID.exec(given) ?? []
  return traceId && spanId ? { traceId, spanId } : null
}
