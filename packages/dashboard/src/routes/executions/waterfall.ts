import type { Schemas } from '../../api/client.ts'

/** A bar of the waterfall. Places are parts of the whole, from 0 to 1. */
export interface Bar {
  key: string
  kind: 'model' | 'call'
  label: string
  offset: number
  width: number
  durationMs: number
  isFailed: boolean
  /** A call whose outcome is unknown. */
  isUnknown: boolean
  /** Its call, where it is one. */
  callId: string | null
}

type Traced = Pick<
  Schemas['Trace'],
  'status' | 'modelSteps' | 'startedAt' | 'durationMs' | 'capabilityCalls' | 'finishReason'
>

interface Span {
  from: number
  to: number
}

/** Lays an execution out over time, `now` being its end where it still runs. */
export function layOut(trace: Traced, now: number): Bar[] {
  const start = Date.parse(trace.startedAt)
  const spans = [
    ...trace.modelSteps.map((step) => ({ span: spanOf(step, now), bar: modelBar(step, trace) })),
    ...trace.capabilityCalls.map((call) => ({ span: spanOf(call, now), bar: callBar(call) })),
  ].sort((one, other) => one.span.from - other.span.from)
  const end = Math.max(
    start + (trace.durationMs ?? Math.max(0, now - start)),
    start + 1,
    ...spans.map(({ span }) => span.to),
  )
  return spans.map(({ span, bar }) => ({ ...bar, ...place(span, { from: start, to: end }) }))
}

function spanOf({ startedAt, durationMs }: { startedAt: string; durationMs: number | null }, now: number): Span {
  const from = Date.parse(startedAt)
  return { from, to: from + (durationMs ?? Math.max(0, now - from)) }
}

type Place = Pick<Bar, 'offset' | 'width' | 'durationMs'>

function place({ from, to }: Span, whole: Span): Place {
  const part = (ms: number) => Math.min(1, Math.max(0, ms / (whole.to - whole.from)))
  return { offset: part(from - whole.from), width: part(to - from), durationMs: to - from }
}

function modelBar({ step }: Schemas['TracedStep'], trace: Traced): Omit<Bar, keyof Place> {
  // A capability that fails is the model's to deal with: what ends an execution in error is its last turn.
  const isLast = step === trace.modelSteps.length
  const isFailed = isLast && trace.status === 'failed' && trace.finishReason === 'error'
  return { key: `step-${step}`, kind: 'model', label: `Model, step ${step}`, isFailed, isUnknown: false, callId: null }
}

function callBar({ callId, capability, status }: Schemas['TracedCall']): Omit<Bar, keyof Place> {
  const [isFailed, isUnknown] = [status === 'failed', status === 'unknown']
  return { key: callId, kind: 'call', label: capability, isFailed, isUnknown, callId }
}
