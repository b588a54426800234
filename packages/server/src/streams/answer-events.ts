import { pipeline } from 'node:stream/promises'
import type { FastifyReply } from 'fastify'
import { noRoom } from '../errors.ts'
import { stateOf } from '../http/request-state.ts'
import { beginEventStream, openEventStream } from '../http/sse.ts'
import type { StreamDeps } from './deps.ts'
import type { Source } from './resume.ts'

/** Sends the events of a run after `after` until its end. The reader counts as one execution of its account. */
export async function answerEvents(
  { inFlight }: Pick<StreamDeps, 'inFlight'>,
  { reply, accountId }: { reply: FastifyReply; accountId: string },
  { source, after }: { source: Source; after: number },
): Promise<void> {
  const shortage = inFlight.executionShortage(accountId)
  const { closed } = stateOf(reply.request)
  if (shortage || closed.aborted) source.answer?.body.destroy()
  if (shortage) throw noRoom(shortage)
  if (closed.aborted) return void reply.hijack()
  inFlight.add(accountId, { executions: 1 })
  closed.addEventListener('abort', () => inFlight.add(accountId, { executions: -1 }))
  if (source.run) {
    const stream = openEventStream(reply)
    // The next event may come late.
    reply.raw.flushHeaders()
    source.run.events.attach(stream, after)
    return
  }
  const raw = beginEventStream(reply)
  raw.flushHeaders()
  // The other replica sends the heartbeat. Where its stream breaks, so does this one.
  await pipeline(source.answer.body, raw).catch(() => undefined)
}
