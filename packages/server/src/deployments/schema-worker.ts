import { parentPort } from 'node:worker_threads'
import type { JsonObject } from '@svc/contract'
import { judgeSchemas } from './judge-schemas.ts'
import { prepareDialects } from './schema-dialects.ts'
import { type Answered, type Asked, READY } from './thread-bench.ts'

/** Judges the schemas of others in a thread of its own, where they hold up nobody but each other. */
const port = parentPort
if (port === null) throw new Error('runs as a worker thread only')

// What all schemas are judged by takes longer to make than any of them, and no schema's time should pay for it.
prepareDialects()
port.on('message', ({ id, question }: Asked<readonly JsonObject[]>) => {
  port.postMessage({ id, answer: judgeSchemas(question) } satisfies Answered<(string | null)[]>)
})
port.postMessage(READY)
