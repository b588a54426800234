import type { Socket } from 'node:net'

/** What connections may hand over in one turn of the event loop, beside one piece each: a millisecond's work. */
export const MORE_PIECES_PER_TURN = 64

type Connection = Pick<Socket, 'destroyed' | 'emit'>

/** Whose turn it is to be read. */
export interface ReadingTurns {
  /** Whether a connection may hand over one more piece now. Otherwise it is told once it may, as if something had arrived. */
  mayReadMore(socket: Connection): boolean
}

/**
 * Shares the turns of the event loop between connections that have much to be read: two hundred endpoints that send
 * without end would otherwise hold up everybody else's calls for as long as all of that takes. Small answers never wait.
 */
export function createReadingTurns(): ReadingTurns {
  const waiting = new Set<Connection>()
  let left = MORE_PIECES_PER_TURN
  const begin = () => {
    left = MORE_PIECES_PER_TURN
    const sockets = [...waiting]
    waiting.clear()
    for (const socket of sockets) if (!socket.destroyed) socket.emit('readable')
  }
  return {
    mayReadMore(socket) {
      if (left === MORE_PIECES_PER_TURN) setImmediate(begin)
      if (left > 0) {
        left -= 1
        return true
      }
      waiting.add(socket)
      return false
    },
  }
}
