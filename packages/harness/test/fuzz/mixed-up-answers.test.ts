import { createServer } from 'node:net'
import { listenOnFreePort } from '@svc/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runLoad } from '../../src/fuzz/overload/generator/load.ts'
import { Connections } from '../../src/fuzz/requests/connections.ts'

const REQUEST = 'GET /health HTTP/1.1\r\nhost: a\r\n\r\n'

const answerWith = (id: string) => `HTTP/1.1 200 OK\r\nx-request-id: ${id}\r\ncontent-length: 2\r\n\r\n{}`

/** A server that is given the id of each request and says what it sends. */
async function startServer(answer: (id: string) => string): Promise<number> {
  const listening = await listenOnFreePort(
    createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (bytes) => socket.write(answer(/x-request-id: (\S+)/.exec(String(bytes))?.[1] ?? 'none')))
    }),
  )
  onTestFinished(listening.close)
  return listening.port
}

describe('the generator of the overload', () => {
  const run = async (answer: (id: string) => string) => {
    const port = await startServer(answer)
    return runLoad({ port, requests: [REQUEST], durationMs: 50, connections: 2, perSecond: null })
  }

  test('sends each request under an id of its own, and knows its answer by that', async () => {
    const ids: string[] = []
    const notes = await run((id) => {
      ids.push(id)
      return answerWith(id)
    })
    expect(ids.length).toBeGreaterThan(2)
    expect(new Set(ids).size).toBe(ids.length)
    expect(notes).toMatchObject({ broken: 0, otherIds: 0, leftovers: 0 })
  })

  test('counts answers to the request of another, and what comes behind an answer', async () => {
    let last = 'nobody-s'
    const late = await run((id) => {
      const answer = answerWith(last)
      last = id
      return answer
    })
    expect(late.otherIds).toBeGreaterThan(2)
    const twice = await run((id) => answerWith(id) + answerWith(id))
    expect(twice).toMatchObject({ broken: 0, otherIds: 0 })
    expect(twice.leftovers).toBeGreaterThan(2)
  })
})

describe('the connections of the attack on all routes', () => {
  const ask = async (answer: string) => {
    let leftovers = 0
    const port = await startServer(() => answer)
    const connections = new Connections(() => {
      leftovers += 1
    })
    onTestFinished(() => connections.close())
    const exchange = async () => (await connections.to(port).exchange(REQUEST)).kind
    return { connections, port, exchange, leftovers: () => leftovers }
  }

  test('tell of what comes behind an answer, at the next request and at the end', async () => {
    const { connections, exchange, leftovers } = await ask(answerWith('request-1').repeat(2))
    await exchange()
    expect(leftovers()).toBe(0)
    await exchange()
    expect(leftovers()).toBe(1)
    connections.close()
    expect(leftovers()).toBe(2)
  })

  test('tell of nothing where each answer stands alone, or the connection was dropped', async () => {
    const whole = await ask(answerWith('request-1'))
    await whole.exchange()
    await whole.exchange()
    const twice = await ask(answerWith('request-1').repeat(2))
    await twice.exchange()
    twice.connections.drop(twice.port)
    await twice.exchange()
    expect([whole.leftovers(), twice.leftovers()]).toEqual([0, 0])
  })
})
