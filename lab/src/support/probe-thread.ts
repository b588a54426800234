import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { createClient } from './client.ts'
import type { ProbeNotes, ProbeTask } from './probe.ts'

const { url, everyMs, request }: ProbeTask = workerData
const client = createClient(url)
const notes: ProbeNotes = { latenciesMs: [], failures: 0 }
const asked: Promise<void>[] = []
let isOver = false
parentPort?.once('message', () => {
  isOver = true
})

async function ask(dueAt: number): Promise<void> {
  const { status } = await client.send({ ...request, signal: AbortSignal.timeout(10_000) })
  notes.latenciesMs.push(performance.now() - dueAt)
  if (status !== 200) notes.failures += 1
}

for (let dueAt = performance.now(); !isOver; dueAt += everyMs) {
  await pause(Math.max(0, dueAt - performance.now()))
  asked.push(ask(dueAt))
}
await Promise.all(asked)
parentPort?.postMessage(notes)
await client.close()
