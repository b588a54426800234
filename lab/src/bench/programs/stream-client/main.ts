import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeenStream, StreamOrder } from '../../streams.ts'

// Opens many streams, evenly over a while, reads them to their ends and prints what it saw of each.
const order: StreamOrder = JSON.parse(process.argv[2] ?? '{}')
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
const { hostname: host, port } = new URL(order.url)
const startedAt = performance.now()
let [openNow, peakOpen] = [0, 0]

function readStream(): Promise<SeenStream> {
  const seen: SeenStream = { status: 0, events: 0, firstEventMs: null, longestGapMs: 0, isComplete: false }
  const sentAt = performance.now()
  return new Promise((resolve) => {
    const to = { host, port, agent, path: order.path, method: 'POST', headers: order.headers }
    const call = request(to, (answer) => {
      seen.status = answer.statusCode ?? 0
      watch(answer, seen, sentAt)
      answer.once('close', () => resolve(seen))
    })
    call.once('error', () => resolve(seen))
    call.end(order.body)
  })
}

function watch(answer: IncomingMessage, seen: SeenStream, sentAt: number): void {
  const eventsIn = markCounter(order.eventMark)
  const endsIn = markCounter(order.endMark)
  let [ends, lastAt] = [0, 0]
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
  // A stream that breaks off has no end, only a close.
  answer.on('error', () => {})
}

/** Counts how often a text stands in what comes piece by piece, wherever the pieces are cut. */
function markCounter(mark: string): (piece: string) => number {
  let rest = ''
  return (piece) => {
    const parts = (rest + piece).split(mark)
    rest = (parts.at(-1) ?? '').slice(-mark.length + 1)
    return parts.length - 1
  }
}

const reading: Promise<SeenStream>[] = []
for (let index = 0; index < order.streams; index += 1) {
  const early = (index * order.rampMs) / order.streams - (performance.now() - startedAt)
  if (early > 0) await sleep(early)
  openNow += 1
  peakOpen = Math.max(peakOpen, openNow)
  reading.push(readStream().finally(() => (openNow -= 1)))
}
process.stdout.write(`${JSON.stringify({ streams: await Promise.all(reading), peakOpen })}\n`)
