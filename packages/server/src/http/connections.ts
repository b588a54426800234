import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Answers that one connection may be owed at once: those that wait for their turn are in memory, whole. */
const MAX_OWED = 8
/** A reader who takes nothing of an answer for this long is cut off: the answer would stay in memory. */
export const STALL_MS = 30_000
/** More would take the process’s file descriptors, health checks’ included. */
const MAX_CONNECTIONS = 10_000

const owed = new WeakMap<Socket, Map<ServerResponse, IncomingMessage>>()

/** Bounds connections, and cuts readers who stand still. The server's `timeout` must be {@link STALL_MS}. */
export function watchConnections(app: FastifyInstance): void {
  app.server.maxConnections = MAX_CONNECTIONS
  // Nothing went over the connection for a while: it is idle, works, or has a reader who takes nothing.
  app.server.on('timeout', (socket: Socket) => {
    const [next] = answersOf(socket).keys()
    if (next === undefined || next.headersSent) socket.destroy()
  })
}

/** Counts an answer that a connection is owed from now on. False, and not counted, where it is owed too many. */
export function oweAnswer(request: IncomingMessage, answer: ServerResponse): boolean {
  const answers = answersOf(request.socket)
  if (answers.size >= MAX_OWED) return false
  answers.set(answer, request)
  return true
}

/** Ends what {@link oweAnswer} began. Called once the answer is closed. */
export function settleAnswer(request: IncomingMessage, answer: ServerResponse): void {
  const answers = answersOf(request.socket)
  // An answer may be over before its request is: until then, a fault in the bytes is a fault of that request.
  if (request.complete) answers.delete(answer)
  else request.once('close', () => answers.delete(answer))
}

/** True where a fault in the bytes of a connection may be answered: what is written must not pass for an owed answer. */
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
