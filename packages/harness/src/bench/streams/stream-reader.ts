import { Agent, type IncomingMessage, request } from 'node:http'
import { createMarkCounter } from './mark-counter.ts'
import type { SeenStream, StreamOrder } from './stream-order.ts'

export interface StreamReader {
  /** Opens one more stream and resolves when it is over, however. */
  open(): Promise<SeenStream>
  elapsedMs(): number
  /** How many were open at once at most. */
  peakOpen(): number
}

export function createStreamReader(order: StreamOrder): StreamReader {
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
  const { hostname: host, port } = new URL(order.url)
  const startedAt = performance.now()
  let [open, peak] = [0, 0]
  return {
    elapsedMs: () => performance.now() - startedAt,
    peakOpen: () => peak,
    async open() {
      open += 1
      peak = Math.max(peak, open)
      const seen = await readStream(order, { host, port, agent })
      open -= 1
      return seen
    },
  }
}

function readStream(order: StreamOrder, to: { host: string; port: string; agent: Agent }): Promise<SeenStream> {
  const seen: SeenStream = { status: 0, events: 0, firstEventMs: null, longestGapMs: 0, isComplete: false }
  const sentAt = performance.now()
  return new Promise((resolve) => {
    const call = request({ ...to, path: order.path, method: 'POST', headers: order.headers }, (answer) => {
      seen.status = answer.statusCode ?? 0
      watch(answer, order, seen, sentAt)
      answer.once('close', () => resolve(seen))
    })
    call.once('error', () => resolve(seen))
    call.end(order.body)
  })
}

function watch(answer: IncomingMessage, order: StreamOrder, seen: SeenStream, sentAt: number): void {
  const eventsIn = createMarkCounter(order.eventMark)
  const endsIn = createMarkCounter(order.endMark)
  let ends = 0
  let lastAt = 0
  answer.setEncoding('utf8')
  answer.on('data', (piece: string) => {
    ends += endsIn(piece)
    const found = eventsIn(piece)
    if (found === 0) return
    const now = performance.now()
    if (seen.firstEventMs === null) seen.firstEventMs = now - sentAt
    else seen.longestGapMs = Math.max(seen.longestGapMs, now - lastAt)
    lastAt = now
    seen.events += found
  })
  answer.once('end', () => {
    seen.isComplete = seen.status === 200 && ends === 1
  })
  // What breaks off has no end; its close is all there is to hear.
  answer.on('error', () => {})
}
