import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { listenOnFreePort } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createEarlyDoors } from '../../src/http/early-doors.ts'
import { noteOwedAnswer } from '../../src/http/owed-answers.ts'
import { createGate } from '../support/deferred.ts'

/** A server that refuses while it is told to, by Node or early, and says in its answers who refused. */
async function startServer() {
  const gate = createGate()
  const state = { isRefusing: false, requests: 0, endConnection: () => {} }
  const doors = createEarlyDoors(() => (state.isRefusing ? answerOf(429, 'early') : null))
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/slow') await gate.enter()
    const body = await text(request)
    const answer = `${request.method} ${request.url} ${body}`
    response.writeHead(200, { 'content-length': answer.length }).end(answer)
  }
  const server = createServer((request, response) => {
    state.requests += 1
    state.endConnection = () => void request.socket.end()
    noteOwedAnswer(request, response)
    doors.note(request)
    if (!state.isRefusing) return void serve(request, response)
    response.writeHead(429, { 'content-length': 4 }).end('node')
    doors.put(request, response)
  })
  const { port, close } = await listenOnFreePort(server)
  onTestFinished(close)
  return { port, gate, state }
}

function answerOf(status: number, body: string): string {
  return `HTTP/1.1 ${status} Too Many Requests\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** A connection whose answers are read in their order: status and body of each. */
function openConnection(port: number) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1')
  onTestFinished(() => void socket.destroy())
  let heard = ''
  let look = () => {}
  socket.on('data', (piece) => {
    heard += piece
    look()
  })
  const take = () => {
    const [whole, status = '', length = ''] =
      /^HTTP\/1\.1 (\d+)[\s\S]*?content-length: (\d+)[\s\S]*?\r\n\r\n/i.exec(heard) ?? []
    if (whole === undefined || heard.length < whole.length + Number(length)) return null
    const answer = `${status} ${heard.slice(whole.length, whole.length + Number(length))}`
    heard = heard.slice(whole.length + Number(length))
    return answer
  }
  const answer = () =>
    new Promise<string>((resolve) => {
      look = () => {
        const taken = take()
        if (taken !== null) resolve(taken)
      }
      look()
    })
  return {
    write: (bytes: string) => void socket.write(bytes, 'latin1'),
    answer,
    ask: (bytes: string) => {
      socket.write(bytes, 'latin1')
      return answer()
    },
  }
}

const nextTurn = () => new Promise(setImmediate)
const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n${body}`

/** A connection that has been refused early already, and a server that takes everything again. */
async function openRefused() {
  const { port, gate, state } = await startServer()
  const connection = openConnection(port)
  state.isRefusing = true
  expect([await connection.ask(get('/1')), await connection.ask(get('/2'))]).toEqual(['429 node', '429 node'])
  expect(await connection.ask(post('/3', 'abc'))).toBe('429 early')
  state.isRefusing = false
  return { ...connection, gate, state }
}

test('a connection that was refused once is refused early from then on, and served as ever in between', async () => {
  const { ask, state } = await openRefused()
  expect(await ask(post('/4', 'abc'))).toBe('200 POST /4 abc')
  expect(await ask(get('/5'))).toBe('200 GET /5 ')
  state.isRefusing = true
  expect([await ask(get('/6')), await ask(get('/7'))]).toEqual(['429 early', '429 early'])
})

test('what looks like a request inside a body is read as the body that it is', async () => {
  const { write, answer, ask, gate, state } = await openRefused()
  const inside = get('/inside')
  const whole = post('/slow', inside)
  write(whole.slice(0, -inside.length))
  await gate.arrived(1)
  state.isRefusing = true
  write(inside)
  gate.open()
  expect(await answer()).toBe(`200 POST /slow ${inside}`)
  expect([await ask(get('/8')), await ask(get('/9'))]).toEqual(['429 node', '429 early'])
})

test('what looks like a request and begins inside a body says nothing of where the next request begins', async () => {
  const { write, answer, state } = await openRefused()
  const next = get('/b')
  const begun = 'GET /c HTTP/1.1\r\nx: '
  // For whoever takes the end of the body for a head, the rest of the piece is a body just as long.
  const inside = `GET /inside HTTP/1.1\r\ncontent-length: ${begun.length}\r\nx: `
  const whole = post('/a', inside)
  write(whole.slice(0, -inside.length))
  while (state.requests < 3) await nextTurn()
  write(inside + next + begun)
  expect([await answer(), await answer()]).toEqual([`200 POST /a ${inside}`, '200 GET /b '])
  state.isRefusing = true
  write(get('/end-of-c'))
  expect(await answer()).toBe('429 node')
  state.isRefusing = false
  write(get('/d'))
  expect(await answer()).toBe('200 GET /d ')
})

test('while something is under way on a connection, what comes behind it waits its turn', async () => {
  const { write, answer, gate, state } = await openRefused()
  write(get('/slow'))
  await gate.arrived(1)
  state.isRefusing = true
  write(get('/behind'))
  // Node has read it: /1, /2 and /slow were before.
  while (state.requests < 4) await nextTurn()
  gate.open()
  expect([await answer(), await answer()]).toEqual(['200 GET /slow ', '429 node'])
})

test('nothing is written on a connection that is about to end', async () => {
  const { write, state } = await openRefused()
  state.isRefusing = true
  state.endConnection()
  write(get('/behind'))
  // Node has read it: /1 and /2 were before, and /3 was refused early.
  while (state.requests < 3) await nextTurn()
})

test('requests that arrive together are Node’s, and answered in their order', async () => {
  const { write, answer } = await openRefused()
  write(get('/a') + get('/b'))
  expect([await answer(), await answer()]).toEqual(['200 GET /a ', '200 GET /b '])
})

test('a body that Node throws away when it refuses is no reason to have the next request refused by Node as well', async () => {
  const { port, state } = await startServer()
  const { ask } = openConnection(port)
  state.isRefusing = true
  const answers = [await ask(post('/1', 'abc')), await ask(post('/2', 'abc')), await ask(post('/3', 'abc'))]
  expect(answers).toEqual(['429 node', '429 node', '429 early'])
})

test('what is served behind a refusal, and begun before that was over, is answered before what comes later', async () => {
  const { port, gate, state } = await startServer()
  const { write, answer, ask } = openConnection(port)
  state.isRefusing = true
  const refused = post('/1', 'abc')
  write(refused.slice(0, -1))
  expect(await answer()).toBe('429 node')
  state.isRefusing = false
  write(refused.slice(-1) + get('/slow'))
  await gate.arrived(1)
  state.isRefusing = true
  write(get('/2'))
  while (state.requests < 3) await nextTurn()
  gate.open()
  expect([await answer(), await answer()]).toEqual(['200 GET /slow ', '429 node'])
  expect([await ask(get('/3')), await ask(get('/4'))]).toEqual(['429 early', '429 early'])
})
