import { setTimeout as sleep } from 'node:timers/promises'
import { StreamOrder } from '../../streams/stream-order.ts'
import { createStreamReader } from '../../streams/stream-reader.ts'

// Opens many streams, evenly over a while, reads them to their ends and prints what it saw of each.
const order = StreamOrder.parse(JSON.parse(process.argv[2] ?? '{}'))
const reader = createStreamReader(order)
const seen = []
for (let index = 0; index < order.streams; index += 1) {
  const dueMs = (index * order.rampMs) / order.streams
  const early = dueMs - reader.elapsedMs()
  if (early > 0) await sleep(early)
  seen.push(reader.open())
}
const streams = await Promise.all(seen)
process.stdout.write(`${JSON.stringify({ streams, peakOpen: reader.peakOpen() })}\n`)
