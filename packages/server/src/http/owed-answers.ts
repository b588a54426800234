import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** By connection, the answers that are not over yet, in the order of their requests: the first has its turn, the others wait. */
const owed = new WeakMap<Socket, Set<ServerResponse>>()

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
export function noteOwedAnswer({ socket }: IncomingMessage, response: ServerResponse): void {
  const answers = answersOf(socket)
  if (answers.has(response)) return
  answers.add(response)
  response.once('close', () => answers.delete(response))
}

/** True while any request of a connection has no whole answer. */
export function owesAnswer(socket: Socket): boolean {
  return (owed.get(socket)?.size ?? 0) > 0
}

/** True when part of an answer is on the wire: what else is written there would be taken for the rest of it. */
export function isAnswering(socket: Socket): boolean {
  for (const answer of owed.get(socket) ?? []) if (!answer.writableFinished) return answer.headersSent
  return false
}

function answersOf(socket: Socket): Set<ServerResponse> {
  const known = owed.get(socket)
  if (known) return known
  const answers = new Set<ServerResponse>()
  owed.set(socket, answers)
  socket.once('close', () => {
    for (const answer of answers) if (answer.socket === null) endUnsent(answer)
  })
  return answers
}

// It gets what stands for a connection and is closed already, and ends as one that had its turn: closed, taking no more.
function endUnsent(answer: ServerResponse): void {
  answer.assignSocket(new Duplex().destroy() as Socket)
}
