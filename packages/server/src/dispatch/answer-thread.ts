import { JsonDocument } from '../lib/json-document.ts'
import { KeyedSemaphore, RefusedError } from '../lib/keyed-semaphore.ts'
import type { StopSignal } from '../lib/stop-signal.ts'
import { createWorkerThread, startWorker } from '../lib/worker-thread.ts'
import { type CallFailure, FAILURES } from './failures.ts'
import type { AnswerBody, ReadAnswer } from './read-answer.ts'

export type AnswerJob = Omit<AnswerBody, 'endUserToken'> & { token: string | undefined }
/** JSON texts; `redacted` is null where it is the same as `output`. */
export type AnswerJobResult =
  | { ok: true; output: string; redacted: string | null }
  | { ok: false; failure: CallFailure }

const READ_MS = 5_000
const QUEUE = { permits: 1, permitsPerKey: 1, waiting: 10_000, waitingPerKey: 1_000 } as const

export type AnswerThread = ReturnType<typeof createAnswerThread>

/** Reads answers in a worker thread. An answer that takes too long or too much memory ends the thread, and fails alone. */
export function createAnswerThread(start = () => startWorker(new URL('./answer-worker.js', import.meta.url))) {
  const queue = new KeyedSemaphore(QUEUE)
  const thread = createWorkerThread<AnswerJob, AnswerJobResult>(start)
  return {
    /** The signal ends the wait. */
    async read({ endUserToken, ...answer }: AnswerBody, ownerId: string, signal: StopSignal): Promise<ReadAnswer> {
      const job = { ...answer, token: endUserToken?.reveal() }
      const run = () => thread.run(job, [READ_MS]).catch(() => [])
      try {
        const [result] = await queue.run(ownerId, run, signal)
        return result ? readAnswerOf(result) : { ok: false, failure: FAILURES.unusable }
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error
        return { ok: false, failure: error.reason === 'wait' ? FAILURES.cancelled : FAILURES.busy }
      }
    },
    close: () => thread.close(),
  }
}

function readAnswerOf(result: AnswerJobResult): ReadAnswer {
  if (!result.ok) return result
  const output = new JsonDocument(result.output)
  return { ok: true, output, redacted: result.redacted === null ? output : new JsonDocument(result.redacted) }
}
