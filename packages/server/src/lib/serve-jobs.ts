import { parentPort } from 'node:worker_threads'

/** Runs the jobs of this worker thread. The first message tells that it is ready, every other one is a part of an answer. */
export function serveJobs<Job, Part>(partsOf: (job: Job) => Iterable<Part>): void {
  const port = parentPort
  if (port === null) throw new Error('must run in a worker thread')
  port.on('message', (job: Job) => {
    for (const part of partsOf(job)) port.postMessage(part)
  })
  port.postMessage('ready')
}
