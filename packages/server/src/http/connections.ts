import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { sharingNetwork } from './request-notes.ts'

/** Answers that one connection may be owed at once: those that wait for their turn are in memory, whole. */
const MAX_OWED = 8
/** A reader who takes nothing of an answer for this long is cut off: the answer would stay in memory. */
export const STALL_MS = 30_000

const owed = new WeakMap<Socket, Map<ServerResponse, IncomingMessage>>()

/** Bounds connections, and cuts readers who stand still. The server's `timeout` must be {@link STALL_MS}. */
export function watchConnections(
  app: FastifyInstance,
  { limits: { connections }, proxyHops }: Pick<Deps, 'limits' | 'proxyHops'>,
): void {
  app.server.maxConnections = connections
  // Behind a proxy all connections are that one's, and the bound for a caller's network is its own, too.
  if (proxyHops === 0) shareConnections(app.server, connections)
  // Nothing went over the connection for a while: it is idle, works, or has a reader who takes nothing.
  app.server.on('timeout', (socket: Socket) => {
    const [next] = answersOf(socket).keys()
    if (next === undefined || next.headersSent) socket.destroy()
  })
}

/** Closes a new connection whose network holds as many already as are free: one network has half of them at most. */
function shareConnections(server: Server, most: number): void {
  const open = new Map<string, number>()
  let all = 0
  server.on('connection', (socket: Socket) => {
    const network = sharingNetwork(socket.remoteAddress ?? '')
    const own = open.get(network) ?? 0
    if (own >= most - all) return void socket.destroy()
    all += 1
    open.set(network, own + 1)
    socket.once('close', () => {
      all -= 1
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
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
