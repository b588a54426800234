import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { cutStalledReader } from './stalled-reader.ts'

const answers = new WeakMap<Socket, ServerResponse>()

/** Notes what is not answered yet, and which answer is on which connection, and cuts readers who stand still. */
export function watchConnections(app: FastifyInstance, { requests }: Pick<Deps, 'requests'>): void {
  noteAnswers(app)
  app.addHook('onRequest', (_request, reply, done) => {
    requests.add(reply.raw)
    reply.raw.once('close', () => requests.delete(reply.raw))
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    cutStalledReader(reply.raw)
    done()
  })
}

/** Notes which answer is on which connection, for {@link isAnswering}. */
export function noteAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    answers.set(request.raw.socket, reply.raw)
    done()
  })
}

/** True when part of an answer is on the wire: what else is written there would be taken for the rest of it. */
export function isAnswering(socket: Socket): boolean {
  const answer = answers.get(socket)
  return answer?.headersSent === true && !answer.writableFinished
}
