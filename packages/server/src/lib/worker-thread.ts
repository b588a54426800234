import { Worker } from 'node:worker_threads'

/** Runs jobs one at a time. An answer has parts: those that were finished survive when the thread is stopped. */
export interface JobThread<Job, Part> {
  /**
   * The parts of the answer: one for each limit, fewer where a part took longer than its limit or too much memory. Rejects
   * where the thread failed in another way.
   */
  run(job: Job, limitsMs: readonly number[]): Promise<Part[]>
  close(): Promise<void>
}

/** Starts a thread for untrusted input, which ends alone where its heap exceeds `maxHeapMb`. */
export function startWorker(program: URL, maxHeapMb = 256): Worker {
  return new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb }, env: {}, execArgv: [] })
}

/**
 * A worker thread that starts with the first job, ends when a part is late, and starts again with the next job. Its first
 * message tells that it is ready, every other one is a part. `closed` makes the error of jobs after the close.
 */
export function createWorkerThread<Job, Part>(
  startWorker: () => Worker,
  closed = () => new Error('the worker thread is closed'),
): JobThread<Job, Part> {
  let worker: Promise<Worker> | null = null
  let isClosed = false

  function start(): Promise<Worker> {
    const started = startWorker()
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
      if (isClosed) throw closed()
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
      // Where this event loop was blocked, the part has arrived, and is handled before an immediate runs.
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
