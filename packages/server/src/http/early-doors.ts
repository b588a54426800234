import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type RequestGist, readWholeRequest } from './whole-request.ts'

/** The bytes of a refusal, one character each; null where the request may come in. */
export type RefuseEarly = (request: RequestGist) => string | null

/** Doors in front of single connections, each before Node’s HTTP server. */
export interface EarlyDoors {
  /** Told of every request that Node has read, as soon as it has. */
  note(request: IncomingMessage, response: ServerResponse): void
  /** From now on, requests on the connection of this one, which was answered, may be refused early. */
  put(request: IncomingMessage): void
}

/**
 * Refuses requests without objects being made of them; there are many for each one served while there is too much. A
 * connection comes here once it was refused something: all others are as Node made them.
 */
export function createEarlyDoors(refuse: RefuseEarly): EarlyDoors {
  const doors = new WeakMap<Socket, EarlyDoor>()
  return {
    note: (request, response) => doors.get(request.socket)?.note(request, response),
    put({ socket, complete }) {
      const [toNode, ...others] = socket.listeners('data')
      // Where the body is still to come, Node may have stopped the connection, and would not set it going again.
      const isAtRest = complete && !socket.destroyed && !socket.isPaused()
      if (!isAtRest || doors.has(socket) || toNode === undefined || others.length > 0) return
      const door = new EarlyDoor(socket, (piece) => void toNode.call(socket, piece), refuse)
      doors.set(socket, door)
      socket.removeAllListeners('data')
      socket.on('data', (piece: Buffer) => door.take(piece))
    },
  }
}

class EarlyDoor {
  readonly #socket: Socket
  readonly #toNode: (piece: Buffer) => void
  readonly #refuse: RefuseEarly
  // Whether Node has read a whole request and nothing of another: only then is the next byte the first of a request.
  #isInStep = false
  #answering = 0
  #read: IncomingMessage[] = []

  constructor(socket: Socket, toNode: (piece: Buffer) => void, refuse: RefuseEarly) {
    this.#socket = socket
    this.#toNode = toNode
    this.#refuse = refuse
  }

  note(request: IncomingMessage, response: ServerResponse): void {
    this.#read.push(request)
    this.#answering += 1
    response.once('close', () => {
      this.#answering -= 1
    })
  }

  /** Refuses what is one whole request, in its turn; hands on all else, byte by byte as it came. */
  take(piece: Buffer): void {
    const request = readWholeRequest(piece)
    const refusal = request !== null && this.#isItsTurn() ? this.#refuse(request) : null
    if (refusal !== null) return void this.#socket.write(refusal, 'latin1')
    this.#read = []
    this.#toNode(piece)
    const [first, ...more] = this.#read
    this.#isInStep = request !== null && first?.complete === true && more.length === 0
    this.#read = []
  }

  // Whoever does not take what is written is Node's to deal with, too: it stops reading.
  #isItsTurn(): boolean {
    return this.#isInStep && this.#answering === 0 && this.#socket.writableLength === 0
  }
}
