import { describe, expect, test, vi } from 'vitest'
import { AnswerBody } from '../../src/model/chat-completions/answer-body.ts'

function open() {
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    rawHeaders: null,
    rawTrailers: null,
    pause: vi.fn(),
    resume: vi.fn(),
    abort: vi.fn(),
  }
  return { controller, body: new AnswerBody(controller) }
}

const piece = (kib: number) => new Uint8Array(kib * 1024)

describe('the body of an answer', () => {
  test('hands on what came before it was asked and what comes after, in order, then its end', async () => {
    const { body, controller } = open()
    body.append(Buffer.from('a'))
    body.append(Buffer.from('b'))
    const read = async () => {
      const seen: string[] = []
      for await (const bytes of body) seen.push(Buffer.from(bytes).toString())
      return seen
    }
    const reading = read()
    await Promise.resolve()
    body.append(Buffer.from('c'))
    body.end(null)
    expect(await reading).toEqual(['a', 'b', 'c'])
    expect(controller.abort).not.toHaveBeenCalled()
  })

  test('that breaks off says so after what had come, to whoever waits or asks later', async () => {
    const { body } = open()
    body.append(piece(1))
    body.end(new Error('reset'))
    expect((await body.next()).done).toBe(false)
    await expect(body.next()).rejects.toThrow('reset')
    const waiting = open().body
    const next = waiting.next()
    waiting.end(new Error('reset'))
    await expect(next).rejects.toThrow('reset')
  })

  test('has the connection wait for a slow reader, and go on once nothing is left', async () => {
    const { body, controller } = open()
    for (let count = 0; count < 70; count += 1) body.append(piece(1))
    expect(controller.pause).toHaveBeenCalledTimes(1)
    for (let count = 0; count < 70; count += 1) await body.next()
    expect(controller.resume).not.toHaveBeenCalled()
    const next = body.next()
    expect(controller.resume).toHaveBeenCalledTimes(1)
    body.append(piece(1))
    expect((await next).value).toHaveLength(1024)
  })

  test('that is left in the middle ends its connection', async () => {
    const { body, controller } = open()
    body.append(piece(1))
    for await (const _ of body) break
    expect(controller.abort).toHaveBeenCalledTimes(1)
  })
})
