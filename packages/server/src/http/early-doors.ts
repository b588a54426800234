import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { owesAnswer } from './owed-answers.ts'
import { type RequestGist, readWholeRequest } from './whole-request.ts'

/** The bytes of a refusal, one character each; null where the request may come in. */
export type RefuseEarly = (request: RequestGist) => string | null

/** Doors in front of single connections, each before Node’s HTTP server. */
export interface EarlyDoors {
  /** Told of every request that Node has read, as soon as it has. The answers are noted with `noteOwedAnswer`, too. */
  note(request: IncomingMessage): void
  /** Once this one is over, which Node refuses, requests on its connection may be refused early. Told of after `note`. */
  put(request: IncomingMessage, response: ServerResponse): void
}

/**
 * Refuses requests without objects being made of them; there are many for each one served while there is too much. A
 * connection comes here once it was refused something: all others are as Node made them.
 */
export function createEarlyDoors(refuse: RefuseEarly): EarlyDoors {
  const doors = new WeakMap<Socket, EarlyDoor>()
  return {
    note: (request) => doors.get(request.socket)?.note(request),
    put(request, response) {
      const { socket } = request
      if (doors.has(socket)) return
      const door = new EarlyDoor(socket, refuse)
      // From now on it knows which request Node read last, this one first.
      doors.set(socket, door)
      door.note(request)
      const stand = () => door.stand() || doors.delete(socket)
      // The answer is mostly over before Node has read the body, which it throws away.
      response.once('close', () => (request.complete ? stand() : request.once('close', stand)))
    },
  }
}

class EarlyDoor {
  readonly #socket: Socket
  readonly #refuse: RefuseEarly
  #toNode: (piece: Buffer) => void = () => {}
  // Whether Node has read a whole request and nothing of another: only then is the next byte the first of a request.
  #isInStep = false
  // What Node read last and is not known to be over: whatever looks like a request may be part of its body.
  #last: IncomingMessage | null = null
  #read = 0

  constructor(socket: Socket, refuse: RefuseEarly) {
    this.#socket = socket
    this.#refuse = refuse
  }

  /** Takes its place before Node. False where it cannot: a stopped connection would not be set going again by Node. */
  stand(): boolean {
    const [toNode, ...others] = this.#socket.listeners('data')
    const isAtRest = !this.#socket.destroyed && !this.#socket.isPaused()
    if (!isAtRest || toNode === undefined || others.length > 0) return false
    this.#toNode = (piece) => void toNode.call(this.#socket, piece)
    this.#socket.removeAllListeners('data')
    this.#socket.on('data', (piece: Buffer) => this.take(piece))
    return true
  }

  note(request: IncomingMessage): void {
    this.#last = request
    this.#read += 1
  }

  /** Refuses what is one whole request, in its turn; hands on all else, byte by byte as it came. */
  take(piece: Buffer): void {
    const request = readWholeRequest(piece)
    const refusal = request !== null && this.#isItsTurn() ? this.#refuse(request) : null
    if (refusal !== null) return void this.#socket.write(refusal, 'latin1')
    const isInBody = this.#last?.complete === false
    this.#read = 0
    this.#toNode(piece)
    if (this.#last?.complete) this.#last = null
    // A head begun before the piece ends where that of the piece does; what began in a body may end anywhere in it.
    this.#isInStep = request !== null && !isInBody && this.#read === 1 && this.#last === null
  }

  // Whoever does not take what is written is Node's to deal with, too: it stops reading. So is a connection that ends.
  #isItsTurn(): boolean {
    const { writable, writableLength } = this.#socket
    return this.#isInStep && !owesAnswer(this.#socket) && writable && writableLength === 0
  }
}
