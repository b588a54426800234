import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { notesOf } from './request-notes.ts'

/** Answers that one connection may be owed at once: those that wait for their turn are in memory, whole. */
const MAX_OWED = 8
/** A reader who takes nothing of an answer for this long is cut off: the answer would stay in memory. */
const STALL_MS = 30_000
/** More would take the process’s file descriptors, health checks’ included. */
const MAX_CONNECTIONS = 10_000

const owed = new WeakMap<Socket, Map<ServerResponse, IncomingMessage>>()

/** Closes connections that are owed too many answers. Must be the first hook. */
export function boundPipelining(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const answers = answersOf(request.raw.socket)
    if (answers.size >= MAX_OWED) {
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    answers.set(reply.raw, request.raw)
    const settle = () => void answers.delete(reply.raw)
    // An answer may be over before its request is: until then, a fault in the bytes is a fault of that request.
    reply.raw.once('close', () => (request.raw.complete ? settle() : request.raw.once('close', settle)))
    done()
  })
}

/** Notes what is not answered yet, gives back what it held, and cuts readers who stand still. */
export function watchConnections(app: FastifyInstance, { requests }: Pick<Deps, 'requests'>): void {
  app.server.maxConnections = MAX_CONNECTIONS
  app.addHook('onRequest', (request, reply, done) => {
    requests.add(reply.raw)
    reply.raw.once('close', () => {
      requests.delete(reply.raw)
      notesOf(request).held?.release()
    })
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    cutStalledReader(reply.raw)
    done()
  })
}

/** Ends an answer whose reader takes nothing for 30 s while there is something to read. */
export function cutStalledReader(raw: ServerResponse): void {
  raw.setTimeout(STALL_MS, () => raw.destroy())
  // The next answer of a pipelining client may take longer. An idle connection gets Node's own time.
  raw.prependOnceListener('finish', () => {
    if (raw.socket && isPipelining(raw.socket)) raw.socket.setTimeout(0)
  })
}

/** True where a fault in the bytes of a connection may be answered: what is written must not pass for an owed answer. */
export function mayAnswerFault(socket: Socket): boolean {
  if (!socket.writable) return false
  for (const [answer, request] of owed.get(socket) ?? []) {
    if (!answer.writableFinished || !request.complete) return !answer.headersSent && !request.complete
  }
  return true
}

function isPipelining(socket: Socket): boolean {
  return answersOf(socket).size > 1
}

function answersOf(socket: Socket): Map<ServerResponse, IncomingMessage> {
  const known = owed.get(socket)
  if (known) return known
  const answers = new Map<ServerResponse, IncomingMessage>()
  owed.set(socket, answers)
  // Node tells an answer of its connection's end only where the answer had its turn.
  socket.once('close', () => {
    for (const answer of answers.keys()) if (answer.socket === null && !answer.closed) endUnsent(answer)
  })
  return answers
}

function endUnsent(answer: ServerResponse): void {
  answer.destroy()
  answer.emit('close')
}
