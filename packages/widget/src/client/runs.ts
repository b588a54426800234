import type { Feedback } from '@svc/contract'
import type { Clock } from './clock.ts'
import type { ExecutionApi } from './execution-api.ts'
import type { ExecutionStream } from './execution-client.ts'
import { type NumberedEvent, readEvents } from './read-events.ts'
import { type ExecutionRun, isPassing, lostBefore, reopened, resumedEvents } from './resumed-events.ts'
import { refuse, type Send } from './send-request.ts'
import { unlessAborted } from './unless-aborted.ts'

interface RunDeps {
  send: Send
  api: ExecutionApi
  clock: Clock
  idleMs: number
}

/** Streamed executions: followed from their first request on, taken up again, cancelled. */
export function createRuns({ send, api, clock, idleMs }: RunDeps) {
  const pathOf = ({ executionId }: ExecutionRun): string => {
    if (!api.runPath) throw new TypeError('This way in cannot resume.')
    return api.runPath(executionId)
  }

  function reopen(run: ExecutionRun, after: number, stopped: AbortSignal | undefined): Promise<Response> {
    const headers = { 'x-svc-resume-key': run.resumeKey, 'last-event-id': String(after) }
    return send(`${pathOf(run)}/events`, { headers }, { accept: 'text/event-stream', stopped, beginsWithinMs: idleMs })
  }

  async function cancel(run: ExecutionRun): Promise<void> {
    const init = { method: 'POST', headers: { 'x-svc-resume-key': run.resumeKey }, keepalive: true }
    const ask = () => send(`${pathOf(run)}/cancel`, init, { accept: 'application/json', stopped: undefined })
    await ask().catch((error: unknown) => {
      if (!isPassing(error)) throw error
      return reopened({ clock, signal: undefined }, error, ask)
    })
  }

  async function cancelUnread({ body }: Response): Promise<void> {
    if (!body) return
    for await (const { event } of readEvents(body, { clock, idleMs, signal: undefined, requestId: null })) {
      if (event.type === 'execution') return cancel(event)
    }
  }

  function streamOf(
    response: Response | null,
    run: ExecutionRun | null,
    signal: AbortSignal | undefined,
  ): ExecutionStream {
    const requestId = response?.headers.get('x-request-id') ?? null
    const eventsOf = (answer: Response): AsyncIterable<NumberedEvent> =>
      answer.body ? readEvents(answer.body, { clock, idleMs, signal, requestId }) : refuse(answer)
    const open = async (lost: ExecutionRun, after: number) => eventsOf(await reopen(lost, after, signal))
    const resuming = { clock, signal, run, reopen: api.runPath ? open : null }
    return { requestId, events: resumedEvents(response ? eventsOf(response) : lostBefore(), resuming) }
  }

  return {
    cancel,

    async rate(run: ExecutionRun, value: Feedback | null): Promise<void> {
      const headers = { 'content-type': 'application/json', 'x-svc-resume-key': run.resumeKey }
      // A page that is left just after a rating still sends it.
      const init = { method: 'PUT', headers, body: JSON.stringify({ value }), keepalive: true }
      await send(`${pathOf(run)}/feedback`, init, { accept: 'application/json', stopped: undefined })
    },

    async follow(sent: Promise<Response>, signal: AbortSignal | undefined): Promise<ExecutionStream> {
      const response = await unlessAborted(sent, signal).catch((error: unknown) => {
        // By now it may run, and would go on without anybody.
        if (api.runPath && signal?.aborted) void sent.then(cancelUnread).catch(() => undefined)
        throw error
      })
      return streamOf(response, null, signal)
    },

    /** A service that cannot be reached, or has no such events, is an error of the stream. */
    async resume(run: ExecutionRun, signal: AbortSignal | undefined): Promise<ExecutionStream> {
      return streamOf(null, run, signal)
    },
  }
}
