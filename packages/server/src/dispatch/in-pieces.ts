import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { createReadingTurns, type ReadingTurns } from './reading-turns.ts'

/** A few dozen headers: what a hostile head may cost beyond its limit. */
export const PIECE_BYTES = 4096

/**
 * Hands over what arrives a piece at a time, not all of it in one turn where there is much, and nothing of a connection
 * that was given up. The parser looks at none of this by itself: thousands of headers past the limit, each with an error
 * of its own, would hold up every other caller.
 */
export function inPieces(connect: buildConnector.connector): buildConnector.connector {
  const turns = createReadingTurns()
  return (target, callback) =>
    connect(target, (...connected) => {
      const [, socket] = connected
      if (socket) readInPieces(socket, turns)
      callback(...connected)
    })
}

function readInPieces(socket: Socket, turns: ReadingTurns): void {
  const read = socket.read.bind(socket)
  // The piece that follows “readable” is read whatever others have read: a small answer is one piece.
  let isFirst = true
  socket.on('readable', () => {
    isFirst = true
  })
  socket.read = (size) => {
    if (socket.destroyed) return null
    // Read all the same where nothing is there: that is what has it told when something has come.
    if (socket.readableLength > 0 && !isFirst && !turns.mayReadMore(socket)) return null
    isFirst = false
    return read(size ?? (Math.min(PIECE_BYTES, socket.readableLength) || undefined))
  }
}
