import { parentPort } from 'node:worker_threads'

/** Does the jobs of the worker thread that this runs in. Its first message says that it is ready, every other one is a part. */
export function serveJobs<Job, Part>(partsOf: (job: Job) => Iterable<Part>): void {
  const port = parentPort
  if (port === null) throw new Error('runs as a worker thread only')
  port.on('message', (job: Job) => {
    for (const part of partsOf(job)) port.postMessage(part)
  })
  port.postMessage('ready')
}
