import type { FastifyReply } from 'fastify'

/** Calls back when the caller closed the connection before the whole answer was sent; at once if that has happened. */
export function onClientGone(reply: FastifyReply, callback: () => void): void {
  if (reply.raw.destroyed) {
    callback()
    return
  }
  reply.raw.on('close', () => {
    if (!reply.raw.writableFinished) callback()
  })
}
