import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cutStalledReader } from '../../src/http/stalled-reader.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const MINUTE = 60_000

/** A connection over which nothing leaves. */
class StandingSocket extends Socket {
  override _write(): void {}
}

function setAnswer() {
  const answer = new ServerResponse(new IncomingMessage(new Socket()))
  cutStalledReader(answer)
  answer.write('something to read')
  return answer
}

test('an answer that waits for its turn has no reader who could stand still', () => {
  const answer = setAnswer()
  vi.advanceTimersByTime(10 * MINUTE)
  expect(answer.destroyed).toBe(false)
  const socket = new StandingSocket()
  answer.assignSocket(socket)
  vi.advanceTimersByTime(MINUTE)
  expect([answer.destroyed, socket.destroyed]).toEqual([true, true])
})
