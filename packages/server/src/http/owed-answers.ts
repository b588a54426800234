import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** Answers that a connection may be owed at once: those that wait for their turn are in memory, whole. */
const MAX_OWED = 8
/** Requests that may follow the refused one: Node keeps 2 KB of each until the connection closes. */
const MAX_IGNORED = 500

/**
 * What becomes of a request: it is carried out; or refused, with an answer that must say `connection: close`; or ignored,
 * as one that came behind such a refusal. It gets no answer then, and none must be written.
 */
export type Turn = 'carriedOut' | 'refused' | 'ignored'

interface Debt {
  /** What is not over yet, in the order of the requests: the first answer has its turn, the others wait. */
  readonly answers: Map<ServerResponse, IncomingMessage>
  isClosing: boolean
  ignored: number
}

const debts = new WeakMap<Socket, Debt>()

/**
 * Notes one answer that a connection owes, once, before anything is done for its request, and decides about that by how
 * many others are owed. Lets those end whose turn cannot come any more: Node tells an answer that its connection has
 * closed only where it had its turn, and whatever waits for that end would wait for ever.
 */
export function noteOwedAnswer(request: IncomingMessage, response: ServerResponse): Turn {
  const { socket } = request
  const debt = debtOf(socket)
  if (debt.isClosing) {
    ignore(request, debt)
    return 'ignored'
  }
  const { answers } = debt
  answers.set(response, request)
  const settle = () => void answers.delete(response)
  // An answer may be over before its request is: until then, what is wrong with the body is wrong with that request.
  response.once('close', () => (request.complete ? settle() : request.once('close', settle)))
  if (answers.size <= MAX_OWED) return 'carriedOut'
  debt.isClosing = true
  // A body that nobody reads would stop the connection, and Node would miss the rest of it, and that the caller has left.
  request.resume()
  return 'refused'
}

/** True while any request of a connection has no whole answer. */
export function owesAnswer(socket: Socket): boolean {
  return (debts.get(socket)?.answers.size ?? 0) > 0
}

/**
 * True where a fault in the bytes of a connection may be answered there. Where an answer is owed, whatever is written would
 * be taken for that one, or for the rest of it: only a request whose own body is at fault may be answered so.
 */
export function mayAnswerFault(socket: Socket): boolean {
  if (!socket.writable) return false
  for (const [answer, request] of debts.get(socket)?.answers ?? []) {
    if (!answer.writableFinished || !request.complete) return !answer.headersSent && !request.complete
  }
  return true
}

function debtOf(socket: Socket): Debt {
  const known = debts.get(socket)
  if (known) return known
  const debt: Debt = { answers: new Map(), isClosing: false, ignored: 0 }
  debts.set(socket, debt)
  socket.once('close', () => {
    for (const answer of debt.answers.keys()) if (answer.socket === null && !answer.closed) endUnsent(answer)
  })
  return debt
}

// What one piece of a connection holds is all parsed, whatever becomes of the first of it; nothing but this ends a flood.
function ignore(request: IncomingMessage, debt: Debt): void {
  debt.ignored += 1
  if (debt.ignored > MAX_IGNORED) request.socket.destroy()
  else request.resume()
}

// It gets what stands for a connection and is closed already, and ends as one that had its turn: closed, taking no more.
function endUnsent(answer: ServerResponse): void {
  answer.assignSocket(new Duplex().destroy() as Socket)
}
