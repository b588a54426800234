import { fastify } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { limited } from '../../src/errors.ts'
import { noteAccount } from '../../src/http/request-notes.ts'
import { discardInTurn } from '../../src/http/unread-bodies.ts'
import { connectTo, listenLocally, postText } from '../support/raw-http.ts'

const BODY = 'x'.repeat(100_000)

/** A service that refuses everything before its body is read; `x-account` names the account. */
async function setRefusals({ turnMs = 3_600_000 } = {}) {
  const app = fastify()
  onTestFinished(() => app.close())
  app.decorateRequest('notes', null)
  discardInTurn(app, turnMs)
  app.addHook('onRequest', (request, _reply, done) => {
    noteAccount(request, String(request.headers['x-account']))
    done()
  })
  app.addHook('preParsing', (_request, _reply, _payload, done) => done(limited('Not now.', 1_000)))
  app.post('/', () => 'never')
  const port = await listenLocally(app)
  return (account: string, body: string, { sent = Number.POSITIVE_INFINITY } = {}) => {
    const text = postText('/', body, { 'x-account': account })
    const socket = connectTo(port, text.slice(0, sent))
    const heard = { text: '', sendRest: () => void socket.write(text.slice(sent)) }
    socket.on('data', (bytes) => {
      heard.text += bytes.toString('latin1')
    })
    return heard
  }
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000 })

test('a refusal leaves once its body has come, and the account’s next one has its turn then', async () => {
  const post = await setRefusals()
  const first = post('greedy', BODY, { sent: 1_000 })
  const second = post('greedy', BODY)
  const small = post('greedy', 'x')
  const other = post('other', BODY)
  await eventually(() => expect([small.text, other.text].every((text) => text.includes('Not now.'))).toBe(true))
  expect([first.text, second.text]).toEqual(['', ''])
  first.sendRest()
  await eventually(() => expect([first.text, second.text].every((text) => text.includes('Not now.'))).toBe(true))
})

test('a refusal leaves when its turn is over, whether its body has come or not', async () => {
  const post = await setRefusals({ turnMs: 1 })
  const slow = post('greedy', BODY, { sent: 1_000 })
  await eventually(() => expect(slow.text).toContain('Not now.'))
})
