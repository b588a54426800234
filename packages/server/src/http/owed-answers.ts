import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** By connection, what is not over yet, in the order of the requests: the first answer has its turn, the others wait. */
const owed = new WeakMap<Socket, Map<ServerResponse, IncomingMessage>>()

/**
 * Notes which answers each connection owes, and lets those end whose turn cannot come any more: Node tells an answer that
 * its connection has closed only where it had its turn, and whatever waits for that end would wait for ever.
 */
export function noteOwedAnswers(app: FastifyInstance): void {
  app.server.prependListener('request', noteOwedAnswer)
  // What does not come over the first of the server's addresses is seen here only.
  app.addHook('onRequest', (request, reply, done) => {
    noteOwedAnswer(request.raw, reply.raw)
    done()
  })
}

/** Notes one answer; it may be told of twice. */
export function noteOwedAnswer(request: IncomingMessage, response: ServerResponse): void {
  const answers = answersOf(request.socket)
  if (answers.has(response)) return
  answers.set(response, request)
  const settle = () => void answers.delete(response)
  // An answer may be over before its request is: until then, what is wrong with the body is wrong with that request.
  response.once('close', () => (request.complete ? settle() : request.once('close', settle)))
}

/** True while any request of a connection has no whole answer. */
export function owesAnswer(socket: Socket): boolean {
  return (owed.get(socket)?.size ?? 0) > 0
}

/**
 * True where a fault in the bytes of a connection may be answered there. Where an answer is owed, whatever is written would
 * be taken for that one, or for the rest of it: only a request whose own body is at fault may be answered so.
 */
export function mayAnswerFault(socket: Socket): boolean {
  if (!socket.writable) return false
  for (const [answer, request] of owed.get(socket) ?? []) {
    if (!answer.writableFinished || !request.complete) return !answer.headersSent && !request.complete
  }
  return true
}

function answersOf(socket: Socket): Map<ServerResponse, IncomingMessage> {
  const known = owed.get(socket)
  if (known) return known
  const answers = new Map<ServerResponse, IncomingMessage>()
  owed.set(socket, answers)
  socket.once('close', () => {
    for (const answer of answers.keys()) if (answer.socket === null && !answer.closed) endUnsent(answer)
  })
  return answers
}

// It gets what stands for a connection and is closed already, and ends as one that had its turn: closed, taking no more.
function endUnsent(answer: ServerResponse): void {
  answer.assignSocket(new Duplex().destroy() as Socket)
}
