import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { cutStalledReader } from './stalled-reader.ts'

/** Notes what is not answered yet, and cuts readers who stand still. */
export function watchConnections(app: FastifyInstance, { requests }: Pick<Deps, 'requests'>): void {
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
