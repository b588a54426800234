import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

/** A few dozen headers: what a hostile head may cost beyond its limit. */
export const PIECE_BYTES = 4096

/**
 * Hands over what arrives a piece at a time, and nothing of a connection that was given up. The parser looks at neither
 * by itself: thousands of headers past the limit, each with an error of its own, would hold up every other caller.
 */
export function inPieces(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...connected) => {
      const [, socket] = connected
      if (socket) readInPieces(socket)
      callback(...connected)
    })
}

function readInPieces(socket: Socket): void {
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    if (socket.destroyed) return null
    return read(size ?? (Math.min(PIECE_BYTES, socket.readableLength) || undefined))
  }
}
