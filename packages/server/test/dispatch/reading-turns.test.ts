import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createReadingTurns, MORE_PIECES_PER_TURN } from '../../src/dispatch/reading-turns.ts'
import { nextTurn } from '../../src/lib/next-turn.ts'

/** Connections with so many pieces each, of which they read one, and as many more as they may, whenever something is there. */
function connect(turns: ReturnType<typeof createReadingTurns>, pieces: readonly number[]) {
  return pieces.map((count) => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false, left: count })
    socket.on('readable', () => {
      for (let isFirst = true; socket.left > 0 && (isFirst || turns.mayReadMore(socket)); isFirst = false)
        socket.left -= 1
    })
    return socket
  })
}

test('in one turn each connection hands over a piece, and together they hand over so many more', async () => {
  const endless = Array.from({ length: 10 }, () => 1_000)
  const sockets = connect(createReadingTurns(), endless)
  const left = () => sockets.reduce((sum, socket) => sum + socket.left, 0)
  for (const socket of sockets) socket.emit('readable')
  for (let turn = 1; turn <= 10; turn += 1) {
    expect(10_000 - left()).toBe(turn * (10 + MORE_PIECES_PER_TURN))
    await nextTurn()
  }
})

test('a small answer does not wait for those that have much to hand over', () => {
  const [large, small] = connect(createReadingTurns(), [1_000, 1])
  large?.emit('readable')
  small?.emit('readable')
  expect([large?.left, small?.left]).toEqual([1_000 - 1 - MORE_PIECES_PER_TURN, 0])
})

test('whoever had to wait is told, and not once it was given up', async () => {
  const [kept, given] = connect(createReadingTurns(), [100, 100])
  kept?.emit('readable')
  given?.emit('readable')
  if (given) given.destroyed = true
  while (kept && kept.left > 0) await nextTurn()
  expect([kept?.left, given?.left]).toEqual([0, 99])
})
