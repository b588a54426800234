import type { Worker } from 'node:worker_threads'
import { JsonText } from '../lib/json-text.ts'
import { KeyedSemaphore, SemaphoreFullError, WaitCancelledError } from '../lib/keyed-semaphore.ts'
import { createWorkerThread, startWorker } from '../lib/worker-thread.ts'
import type { Limits } from '../limits.ts'
import { type CallFailure, FAILURES } from './failures.ts'
import type { AnswerReader, GivenAnswer, ReadAnswer } from './read-answer.ts'

/** What the thread is asked. */
export interface AskedAnswer {
  body: Uint8Array
  token: string | undefined
  limits: Pick<Limits, 'responseValues'>
}

/** What it answers: JSON texts. `redacted` is null where it is the same. */
export type WrittenAnswer = { ok: true; output: string; redacted: string | null } | { ok: false; failure: CallFailure }

const READ_MS = 5_000
const WAITING = { permits: 1, permitsPerKey: 1, waiting: 10_000, waitingPerKey: 1_000 } as const

/**
 * Reads answers in a thread of its own, one after the other, where their size holds up no event loop. Owners take turns. An
 * answer that takes too long or too much memory ends the thread, and fails alone.
 */
export function createAnswerThread(start: () => Worker = startAnswerWorker): AnswerReader {
  const turns = new KeyedSemaphore(WAITING)
  const thread = createWorkerThread<AskedAnswer, WrittenAnswer>(start)
  const ask = async ({ body, endUserToken, limits }: GivenAnswer): Promise<ReadAnswer> => {
    const [answer] = await thread.run({ body, token: endUserToken?.reveal(), limits }, [READ_MS]).catch(() => [])
    return answer ? toRead(answer) : { ok: false, failure: FAILURES.unusable }
  }
  return {
    async read(answer) {
      try {
        return await turns.run(answer.ownerId, () => ask(answer), answer.signal)
      } catch (error) {
        if (error instanceof SemaphoreFullError) return { ok: false, failure: FAILURES.busy }
        if (error instanceof WaitCancelledError) return { ok: false, failure: FAILURES.cancelled }
        throw error
      }
    },
    close: () => thread.close(),
  }
}

function startAnswerWorker(): Worker {
  return startWorker(new URL('./answer-worker.js', import.meta.url))
}

function toRead(answer: WrittenAnswer): ReadAnswer {
  if (!answer.ok) return answer
  const output = JsonText.written(answer.output)
  return { ok: true, output, redacted: answer.redacted === null ? output : JsonText.written(answer.redacted) }
}
