import { parentPort } from 'node:worker_threads'
import { createSchemaJobs, type SchemaJob } from './jobs.ts'

/** The thread that does schema jobs. Its first message says that it is ready; every other one is a part of an answer. */
const port = parentPort
if (port === null) throw new Error('runs as a worker thread only')

const partsOf = createSchemaJobs()
port.on('message', (job: SchemaJob) => {
  for (const part of partsOf(job)) port.postMessage(part)
})
port.postMessage('ready')
