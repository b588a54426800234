import { parentPort } from 'node:worker_threads'
import { judgeSchemas } from './judge-schemas.ts'
import { type Judged, READY, type ToJudge } from './schema-bench.ts'
import { prepareDialects } from './schema-dialects.ts'

/** Judges the schemas of others in a thread of its own, where they hold up nobody but each other. */
const port = parentPort
if (port === null) throw new Error('runs as a worker thread only')

// What all schemas are judged by takes longer to make than any of them, and no schema's time should pay for it.
prepareDialects()
port.on('message', ({ id, schemas }: ToJudge) => {
  const judged: Judged = { id, problems: judgeSchemas(schemas) }
  port.postMessage(judged)
})
port.postMessage({ id: READY, problems: [] } satisfies Judged)
