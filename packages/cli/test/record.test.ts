import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { keyChecksum, type Message } from '@svc/contract'
import { expect, test } from 'vitest'
import { recordChat } from '../src/dev/record/record-chat.ts'
import { openTerminal } from '../src/terminal/terminal.ts'
import { WAITS } from '../src/test/play/play-here.ts'
import { createProject } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const KEY_BODY = 'svc_pk_0123456789abcdefghijklmnopqrstuv'
const TOKEN = 'session-of-alice-and-nobody-else'
const ENV = {
  SVC_PUBLIC_KEY: KEY_BODY + keyChecksum(KEY_BODY),
  SVC_BASE_URL: 'https://svc.example.com',
  SVC_END_USER_TOKEN: TOKEN,
}
const RUNTIME = `
import { defineCapability, defineRuntime } from '@svc/sdk'
const input = { type: 'object', properties: { day: { type: 'string' } }, additionalProperties: false }
const named = (name) => defineCapability({ name, version: '1.0.0', input, handler: () => { throw new Error('is mocked') } })
const order = defineCapability({
  ...{ name: 'order', version: '1.0.0', input, confirm: true, preview: () => ({ title: 'Order', lines: [], confirm: false }) },
  handler: () => { throw new Error('is mocked') },
})
export default defineRuntime({ capabilities: [named('opening-hours'), named('refund'), order] })`

let ids = 0
/** What an execution adds: calls with their results, by name, and then what the model says. */
function added(calls: readonly [name: string, input: object, result: unknown][], say: string): Message[] {
  const made = calls.map(([name, input, result]) => ({ id: `call_${++ids}`, name, input: { ...input }, result }))
  const result = (value: unknown) =>
    value instanceof Error ? { output: null, error: { message: value.message } } : { output: value }
  const tool = made.map(({ id, name, result: value }) => ({
    type: 'tool_result' as const,
    toolCallId: id,
    name,
    ...result(value),
  }))
  const asked = made.map(({ id, name, input }) => ({ type: 'tool_call' as const, id, name, input }))
  const turns: Message[] =
    made.length > 0
      ? [
          { role: 'assistant', parts: asked },
          { role: 'tool', parts: tool },
        ]
      : []
  return [...turns, { role: 'assistant', parts: [{ type: 'text', content: say }] }]
}

/** Records what is typed in a new project, with an answer for each question. */
async function record(typed: string, answers: Message[][]) {
  const sent: { url: string; body: { messages: Message[] } }[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    sent.push({ url: String(url), body: JSON.parse(String(init?.body)) })
    const counts = { inputTokens: 0, outputTokens: 0, totalTokens: 0, durationMs: 1 }
    const messages = answers.shift()
    const finishReason = messages?.at(-1)?.role === 'tool' ? 'approval_required' : 'stop'
    return Response.json({ executionId: 'exec_1', status: 'completed', finishReason, messages, ...counts })
  }
  const folder = createProject({ 'svc.config.ts': 'export default {}', '.svc/runtime.ts': RUNTIME })
  const stdin = new PassThrough()
  stdin.end(typed)
  let written = ''
  const output = { write: (text: string) => (written += text) }
  const timers = { now: () => 0, every: () => () => undefined, after: () => () => undefined }
  const terminal = openTerminal({ stdout: output, stderr: output, env: ENV, timers })
  await recordChat({ stdin, stdout: output, stderr: output, env: ENV, cwd: folder, fetch, timers }, terminal, {
    folder: 'tests',
    isConfirmed: (name) => name === 'order',
  })
  const tests = readdirSync(join(folder, 'tests')).sort()
  const texts = tests.map((file) => readFileSync(join(folder, 'tests', file), 'utf8'))
  return { folder, sent, written, tests, texts }
}

test('a chat becomes tests that pass without a network, and nothing but the chat itself is sent', async () => {
  const answers = [
    added(
      [
        ['opening-hours', { day: 'sunday' }, { hours: 'closed' }],
        ['opening-hours', { day: 'monday' }, { hours: `9 to 5 for ${TOKEN}` }],
        ['opening-hours', { dya: 'monday' }, new Error('The input does not fit the schema. dya is not a known field.')],
        ['closing-hours', {}, new Error('There is no capability named “closing-hours”.')],
      ],
      'We are closed on sunday.',
    ),
    added([['refund', {}, new Error('Ask at the desk.')]], 'Please ask:\nat the desk.'),
    added([], 'Hello.'),
  ]
  const { folder, sent, written, tests, texts } = await record(
    'Are you open on Sunday?\n\nAnd a refund?\n/new\nHello\n',
    answers,
  )

  expect(sent.map(({ url, body }) => [url, body.messages.length])).toEqual([
    ['https://svc.example.com/v1/runtime/execute', 1],
    ['https://svc.example.com/v1/runtime/execute', 5],
    ['https://svc.example.com/v1/runtime/execute', 1],
  ])
  expect(tests).toEqual(['are-you-open-on-sunday.svc-test.yaml', 'hello.svc-test.yaml'])
  const [text = ''] = texts
  expect(text + written).not.toContain(TOKEN)
  expect(text).not.toContain('closing-hours')
  expect(written).toContain('recorded in tests/are-you-open-on-sunday.svc-test.yaml')
  expect(text.length).toBeGreaterThan(200)

  const replayed = await runSvc(folder, ['test'], { env: {}, fetch: () => Promise.reject(new Error('no network')) })
  expect(replayed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('✔ 2 tests passed.') })
})

test('no part of the end user’s token is written, wherever a line is folded or cut', async () => {
  // YAML folds what is quoted; the expected answer is the first 100 characters of a line.
  const quoted = Array.from({ length: 40 }, (_, at) => `"${'x'.repeat(at)}\t${TOKEN}`).join('\n')
  const answer = added([['refund', { day: quoted }, { [TOKEN]: quoted }]], `${'y'.repeat(90)}${TOKEN}`)
  const { folder, texts, tests } = await record(`${TOKEN} is mine\n`, [answer])
  const unfolded = [...tests, ...texts].join('\n').replace(/\\\n\s*\\?/g, '')
  expect(unfolded).not.toContain(TOKEN.slice(0, 10))
  expect(await runSvc(folder, ['test'], { env: {} })).toMatchObject({ exitCode: 0 })
})

test('a call that waited for a person is mocked: neither its preview nor its handler runs in the test', async () => {
  const waiting = added([['order', { day: 'monday' }, new Error(WAITS)]], '').slice(0, -1)
  const { folder } = await record('Order it.\n', [waiting])
  const replayed = await runSvc(folder, ['test'], { env: {} })
  expect(replayed).toMatchObject({ exitCode: 0, stderr: '' })
})

test('a call whose preview needed no person runs in the test, too: from its mock alone', async () => {
  const ran = added([['order', { day: 'monday' }, { orderId: 'A-1' }]], 'Ordered.')
  const { folder, texts } = await record('Order it.\n', [ran])
  expect(texts[0]).toContain('approve: true')
  expect(await runSvc(folder, ['test'], { env: {} })).toMatchObject({ exitCode: 0, stderr: '' })
})

test('a chat without messages is told not to be recorded, and is written from its first message on', async () => {
  const { folder, tests, written } = await record('Hello\n/new\nHi\nAgain\n', [[], [], added([], 'Hello.')])
  expect(tests).toEqual(['again.svc-test.yaml'])
  expect(written.match(/not recorded/g)).toHaveLength(2)
  expect(await runSvc(folder, ['test'], { env: {} })).toMatchObject({ exitCode: 0 })
})
