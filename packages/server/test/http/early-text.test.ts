import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { listenLocally } from '../support/raw-http.ts'
import { setScene } from '../support/scene.ts'

const PAGE = 'origin: https://shop.example.com\r\n'
const BODY = 'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}'

const REQUESTS: readonly (readonly [name: string, request: string])[] = [
  ['a list', 'GET /v1/executions HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['a question for the head alone', 'HEAD /v1/executions HTTP/1.1\r\nhost: a\r\n\r\n'],
  ['a page’s execute', `POST /v1/runtime/execute?x=1 HTTP/1.1\r\nhost: a\r\n${PAGE}${BODY}`],
  ['an execute of no page', `POST /v1/runtime/execute HTTP/1.1\r\nhost: a\r\n${BODY}`],
  ['a page’s call of the broker', `POST /v1/capabilities/a/b HTTP/1.1\r\nhost: a\r\n${PAGE}${BODY}`],
  ['a path that is not plain', `POST /v1/%63apabilities/a/b HTTP/1.1\r\nhost: a\r\n${PAGE}${BODY}`],
  ['a request with an id', 'GET /v1/nowhere HTTP/1.1\r\nhost: a\r\nX-Request-Id: request-0001\r\n\r\n'],
  ['a request with an id that is none', 'GET /v1/nowhere HTTP/1.1\r\nhost: a\r\nx-request-id: a b\r\n\r\n'],
]

/** What may differ: when it was, which request it was where that had no id, and what HTTP/1.1 takes for granted. */
const OF_EACH = /^(?:date|connection|keep-alive): .*\r\n|^x-request-id: [0-9a-f-]{36}\r\n/gim

/** A head with names of headers in lower case, in an order of their own. */
function plainHead(head: string): string[] {
  const [statusLine = '', ...lines] = head.replace(OF_EACH, '').trimEnd().split('\r\n')
  return [statusLine, ...lines.map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase())).toSorted()]
}

function openConnection(port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  return (request: string) =>
    new Promise<{ head: string; body: string }>((resolve) => {
      let heard = ''
      const hear = (piece: string) => {
        heard += piece
        const [head = '', length = ''] = /^[\s\S]*?content-length: (\d+)[\s\S]*?\r\n\r\n/i.exec(heard) ?? []
        const body = heard.slice(head.length)
        if (head === '' || (!request.startsWith('HEAD') && body.length < Number(length))) return
        socket.off('data', hear)
        resolve({ head, body })
      }
      socket.on('data', hear)
      socket.write(request)
    })
}

// What a refusal says is the same on every engine.
describeEngine('sqlite', 'a refusal that is written before Node has read the request', (engine) => {
  const database = useDatabase(engine)

  /** A full service, and how many requests Node has read there. */
  async function startFull({ isRunning = false } = {}) {
    const limits = isRunning ? { executions: 1 } : { heldRequests: 8 }
    const { service } = await setScene(database(), { limits })
    const { load, running } = service.deps
    if (isRunning) running.begin(60_000)
    else for (let held = 0; held < 8; held += 1) load.enter('execute')
    const port = await listenLocally(service.app)
    let read = 0
    service.app.server.on('request', () => {
      read += 1
    })
    return { port, read: () => read }
  }

  /** The same request, refused by Node’s server and then early. */
  async function refusedTwice(request: string, options = {}) {
    const { port, read } = await startFull(options)
    const ask = openConnection(port)
    const byNode = await ask(request)
    // The one that shows where the next request begins is Node’s as well.
    await ask(request)
    expect(read()).toBe(2)
    const early = await ask(request)
    expect(read()).toBe(2)
    return { byNode, early }
  }

  test.each(REQUESTS)('says what Node’s would say: %s', async (_, request) => {
    const { byNode, early } = await refusedTwice(request)
    expect(plainHead(early.head)).toEqual(plainHead(byNode.head))
    expect(early.body).toBe(byNode.body)
    expect(plainHead(early.head)).toContain('HTTP/1.1 429 Too Many Requests')
    for (const name of ['date', 'x-request-id']) expect(early.head.toLowerCase()).toContain(`\r\n${name}: `)
  })

  test('says so, too, where it is executions that are too many', async () => {
    const [, request] = REQUESTS[2] ?? []
    const { byNode, early } = await refusedTwice(String(request), { isRunning: true })
    expect(plainHead(early.head)).toEqual(plainHead(byNode.head))
    expect([early.body, byNode.body]).toEqual([byNode.body, expect.stringContaining('Too many executions')])
  })
})
