import { parentPort } from 'node:worker_threads'
import type { FieldErrors } from '@svc/contract'
import { createInputDesk, type ToCheck } from './input-desk.ts'
import { type Answered, type Asked, READY } from './thread-bench.ts'

/** Checks inputs against the schemas of others in a thread of its own, where they hold up nobody but each other. */
const port = parentPort
if (port === null) throw new Error('runs as a worker thread only')

const check = createInputDesk()
port.on('message', ({ id, question }: Asked<ToCheck>) => {
  port.postMessage({ id, answer: check(question) } satisfies Answered<FieldErrors | null>)
})
port.postMessage(READY)
