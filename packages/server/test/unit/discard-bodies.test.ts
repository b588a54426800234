import { fastify } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { limited } from '../../src/errors.ts'
import { discardUnreadBodies } from '../../src/http/discard-bodies.ts'
import { stateOf } from '../../src/http/request-state.ts'
import { eventually } from '../support/eventually.ts'
import { connectTo, listenLocally, postText } from '../support/raw-http.ts'

const BODY = 'x'.repeat(100_000)

/** A service that refuses everything before its body is read; `x-account` names the account, `x-forwarded-for` an anonymous caller. */
async function setRefusals({ slotMs = 3_600_000 } = {}) {
  const app = fastify({ trustProxy: true })
  onTestFinished(() => app.close())
  app.decorateRequest('state', null)
  discardUnreadBodies(app, slotMs)
  app.addHook('onRequest', (request, _reply, done) => {
    const account = request.headers['x-account']
    if (typeof account === 'string') stateOf(request).accountId = account
    done()
  })
  app.addHook('preParsing', (_request, _reply, _payload, done) => done(limited('Not now.', 1_000)))
  app.post('/', () => 'never')
  const port = await listenLocally(app)
  return (account: string, body: string, { sent = Number.POSITIVE_INFINITY, name = 'x-account' } = {}) => {
    const text = postText('/', body, { [name]: account })
    const socket = connectTo(port, text.slice(0, sent))
    const heard = { text: '', sendRest: () => void socket.write(text.slice(sent)) }
    socket.on('data', (bytes) => {
      heard.text += bytes.toString('latin1')
    })
    return heard
  }
}

test('a refusal is sent once its body has arrived, and then the next one of its account', async () => {
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

test('callers without a credential share one slot, from any number of networks', async () => {
  const post = await setRefusals()
  for (const network of ['192.0.2.1', '198.51.100.1', '203.0.113.1']) {
    post(network, BODY, { sent: 1_000, name: 'x-forwarded-for' })
  }
  const small = post('192.0.2.1', 'x', { name: 'x-forwarded-for' })
  await eventually(() => expect(small.text).toContain('Not now.'))
  const owner = post('owner', BODY)
  await eventually(() => expect(owner.text).toContain('Not now.'))
})

test('a refusal is sent when its slot times out, whether its body has arrived or not', async () => {
  const post = await setRefusals({ slotMs: 1 })
  const slow = post('greedy', BODY, { sent: 1_000 })
  await eventually(() => expect(slow.text).toContain('Not now.'))
})
