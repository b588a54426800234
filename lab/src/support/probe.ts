import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ClientRequest } from './client.ts'
import type { ScenarioContext } from './scenario.ts'
import { quantile } from './statistics.ts'
import { PROGRAM_MS, within } from './within.ts'

export interface ProbeNotes {
  /** From when each request was due. */
  latenciesMs: number[]
  failures: number
}

export interface ProbeTask {
  url: string
  everyMs: number
  request: Pick<ClientRequest, 'method' | 'path' | 'body'>
}

export const HEALTH = { method: 'GET', path: '/health' } as const

/**
 * Sends one request at a fixed rate, answered or not, and notes how long each answer took: a stall is met by as many
 * requests as are due while it lasts. It has a thread of its own, whose clock no model or endpoint of the lab holds up.
 */
export function startProbe({ onEnd }: Pick<ScenarioContext, 'onEnd'>, task: ProbeTask) {
  const worker = new Worker(new URL('./probe-thread.js', import.meta.url), { workerData: task })
  onEnd(() => worker.terminate())
  return {
    async stop(): Promise<ProbeNotes> {
      const answer = once(worker, 'message')
      worker.postMessage('stop')
      const [notes] = await within(answer, PROGRAM_MS, 'a probe to end')
      return notes
    },
  }
}

export function at(share: number, { latenciesMs }: ProbeNotes): number {
  return quantile(latenciesMs, share)
}
