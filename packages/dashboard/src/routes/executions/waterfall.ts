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
  /** Its call, where it is one. */
  callId: string | null
}

type Traced = Pick<
  Schemas['Trace'],
  'kind' | 'status' | 'steps' | 'startedAt' | 'durationMs' | 'capabilityCalls' | 'finishReason'
>

interface Span {
  step: number
  from: number
  to: number
}

/**
 * Lays an execution out over time, `now` being its end where it still runs. Calls are recorded; what lies between them is
 * the model’s: step 1 from the start to the first call, each further one from the last call before it.
 */
export function layOut(trace: Traced, now: number): Bar[] {
  const start = Date.parse(trace.startedAt)
  const calls = [...trace.capabilityCalls].sort((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
  const ends = calls.map(
    (call) => Date.parse(call.startedAt) + (call.durationMs ?? Math.max(0, now - Date.parse(call.startedAt))),
  )
  const end = Math.max(start + (trace.durationMs ?? Math.max(0, now - start)), ...ends, start + 1)
  const place = (from: number, to: number) => ({
    offset: clamp((from - start) / (end - start)),
    width: clamp((to - from) / (end - start)),
    durationMs: Math.max(0, to - from),
  })
  const models = trace.kind === 'execute' ? modelSpans(trace.steps, calls, { start, end }) : []
  const bars = [
    ...models.map((span) => ({ at: span.from, bar: modelBar(span, trace, place(span.from, span.to)) })),
    ...calls.map((call, index) => {
      const from = Date.parse(call.startedAt)
      return { at: from, bar: callBar(call, place(from, ends[index] ?? from)) }
    }),
  ]
  return bars.sort((one, other) => one.at - other.at || rank(one.bar) - rank(other.bar)).map(({ bar }) => bar)
}

function modelSpans(
  steps: number,
  calls: readonly Schemas['TracedCall'][],
  { start, end }: { start: number; end: number },
): Span[] {
  const spans: Span[] = []
  let from = start
  // Steps whose calls were all answered without a dispatch left no trace of when they ended: they share a bar.
  for (let step = 1; step <= steps; step += 1) {
    const own = calls.filter((call) => call.step === step)
    if (own.length === 0 && step < steps) continue
    const to = own.length === 0 ? end : Math.min(...own.map((call) => Date.parse(call.startedAt)))
    spans.push({ step, from, to: Math.max(from, to) })
    from = Math.max(...own.map((call) => Date.parse(call.startedAt) + (call.durationMs ?? 0)), to)
  }
  return spans
}

type Place = Pick<Bar, 'offset' | 'width' | 'durationMs'>

function modelBar({ step }: Span, trace: Traced, place: Place): Bar {
  const isLast = step === trace.steps
  const isFailed = isLast && trace.status === 'failed' && trace.finishReason === 'error'
  return { key: `step-${step}`, kind: 'model', label: `Model, step ${step}`, isFailed, callId: null, ...place }
}

function callBar(call: Schemas['TracedCall'], place: Place): Bar {
  const { callId, capability, status } = call
  return { key: callId, kind: 'call', label: capability, isFailed: status === 'failed', callId, ...place }
}

function rank({ kind }: Bar): number {
  return kind === 'model' ? 0 : 1
}

function clamp(part: number): number {
  return Math.min(1, Math.max(0, part))
}
