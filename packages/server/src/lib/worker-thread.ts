import { Worker } from 'node:worker_threads'
import { WaitCancelledError } from './keyed-semaphore.ts'

/** Does jobs one at a time. A job is answered in parts, so that a thread that is stopped has answered what it finished. */
export interface JobThread<Job, Part> {
  /**
   * The parts of the answer: one for each limit, and fewer where a part was late (limits in milliseconds), or took too much
   * memory. Rejects where the thread failed by a fault of ours.
   */
  run(job: Job, limitsMs: readonly number[]): Promise<Part[]>
  close(): Promise<void>
}

/** Starts a thread that works at what others wrote: past so many megabytes of heap it ends, and the process goes on. */
export function startWorker(program: URL, maxHeapMb = 256): Worker {
  return new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb }, env: {}, execArgv: [] })
}

/**
 * A worker thread, whose first message says that it is ready and every other one is a part. It is started with the first
 * job, stopped when a part is late, and started again with the next job.
 */
export function createWorkerThread<Job, Part>(startWorker: () => Worker): JobThread<Job, Part> {
  let worker: Promise<Worker> | null = null
  let isClosed = false

  function start(): Promise<Worker> {
    const started = startWorker()
    // It does not keep a process alive.
    started.unref()
    const ready = new Promise<Worker>((resolve, reject) => {
      started.once('message', () => resolve(started))
      started.once('error', reject)
      started.once('exit', () => reject(new Error('the worker thread did not start')))
    })
    const forget = () => {
      if (worker === ready) worker = null
    }
    started.once('error', forget).once('exit', forget)
    return ready
  }

  return {
    async run(job, limitsMs) {
      if (isClosed) throw new WaitCancelledError()
      worker ??= start()
      return runOn<Job, Part>(await worker, job, limitsMs)
    },
    async close() {
      isClosed = true
      const started = await worker?.catch(() => null)
      await started?.terminate()
    },
  }
}

function runOn<Job, Part>(worker: Worker, job: Job, limitsMs: readonly number[]): Promise<Part[]> {
  const parts: Part[] = []
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const end = (error?: Error) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      if (error) reject(error)
      else resolve(parts)
    }
    const awaitPart = () => {
      const due = parts.length
      const limitMs = limitsMs[due]
      clearTimeout(timer)
      if (limitMs === undefined) return end()
      // Where this thread is what was late, the part is here already, and is read before an immediate runs.
      const stop = () => parts.length === due && worker.terminate()
      timer = setTimeout(() => setImmediate(stop), limitMs)
    }
    const onMessage = (part: Part) => {
      parts.push(part)
      awaitPart()
    }
    const onError = (error: Error & { code?: string }) => {
      end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? undefined : error)
    }
    const onExit = () => end()
    worker.on('message', onMessage).once('error', onError).once('exit', onExit)
    worker.postMessage(job)
    awaitPart()
  })
}
