import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { JsonText } from '../lib/json-text.ts'
import { KeyedSemaphore, SemaphoreFullError, WaitCancelledError } from '../lib/keyed-semaphore.ts'
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

const WAITING = { permits: 1, permitsPerKey: 1, waiting: 10_000, waitingPerKey: 1_000 } as const

/** Reads answers in a thread of its own, one after the other, where their size holds up no event loop. Owners take turns. */
export function createAnswerThread(startWorker: () => Worker = startAnswerWorker): AnswerReader {
  const turns = new KeyedSemaphore(WAITING)
  const closed = new AbortController()
  let worker: Worker | null = null
  const ask = async ({ body, endUserToken, limits }: GivenAnswer): Promise<ReadAnswer> => {
    if (worker === null) {
      worker = startWorker()
      // It keeps no process alive.
      worker.unref()
    }
    try {
      worker.postMessage({ body, token: endUserToken?.reveal(), limits } satisfies AskedAnswer)
      const [answer] = await once(worker, 'message', { signal: closed.signal })
      return toRead(answer)
    } catch {
      // The thread ended. The next answer gets another one.
      worker = null
      return { ok: false, failure: FAILURES.unusable }
    }
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
    async close() {
      const ending = worker?.terminate()
      closed.abort()
      await ending
    },
  }
}

function startAnswerWorker(): Worker {
  return new Worker(new URL('./answer-worker.js', import.meta.url))
}

function toRead(answer: WrittenAnswer): ReadAnswer {
  if (!answer.ok) return answer
  const output = JsonText.written(answer.output)
  return { ok: true, output, redacted: answer.redacted === null ? output : JsonText.written(answer.redacted) }
}
