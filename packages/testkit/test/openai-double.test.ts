import { type DoubleScript, eventsOfTurn, type OpenAiDouble, startOpenAiDouble } from '@svc/testkit'
import { afterEach, describe, expect, test } from 'vitest'

const open: OpenAiDouble[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((double) => double.close()))
})

async function start(script: DoubleScript): Promise<OpenAiDouble> {
  const double = await startOpenAiDouble({ script })
  open.push(double)
  return double
}

function ask(double: OpenAiDouble, options: { path?: string; body?: object; signal?: AbortSignal } = {}) {
  return fetch(`${double.baseUrl}${options.path ?? '/chat/completions'}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer test-key' },
    body: JSON.stringify(options.body ?? { model: 'm', stream: true, messages: [] }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
}

function chunksOf(stream: string): unknown[] {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)))
}

describe('a scripted turn', () => {
  test('streams its text, its finish reason, its usage and [DONE], in that order', async () => {
    const double = await start([{ text: ['Hel', 'lo'], usage: { inputTokens: 3, outputTokens: 2 } }])
    const response = await ask(double)
    const stream = await response.text()
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(stream.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(chunksOf(stream)).toMatchObject([
      { choices: [{ delta: { role: 'assistant' } }] },
      { choices: [{ delta: { content: 'Hel' } }] },
      { choices: [{ delta: { content: 'lo' } }] },
      { choices: [{ delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
    ])
  })

  test('sends parallel tool calls in interleaved pieces that add up to their arguments', () => {
    const events = eventsOfTurn(
      {
        toolCalls: [
          { name: 'a', input: { city: 'Oslo' } },
          { name: 'b', rawArguments: '{"broken' },
        ],
        pieceLength: 4,
      },
      'm',
    )
    const stream = events.join('')
    expect(argumentsByIndex(stream)).toEqual(['{"city":"Oslo"}', '{"broken'])
    expect(indexOrder(stream).slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1])
    expect(stream).toContain('"finish_reason":"tool_calls"')
  })

  test('leaves out what the script says never comes', async () => {
    const double = await start([{ text: 'Hi', finishReason: null, usage: null, done: false }])
    const stream = await (await ask(double)).text()
    expect(chunksOf(stream)).toHaveLength(2)
    expect(stream).not.toContain('[DONE]')
  })

  test('is played once, and the request after the last one is refused', async () => {
    const double = await start([{ text: 'Hi' }])
    expect((await ask(double)).status).toBe(200)
    const second = await ask(double)
    expect(second.status).toBe(400)
    expect(await second.json()).toMatchObject({ error: { message: 'The script has 1 turns; this is request 2.' } })
  })

  test('may depend on the request', async () => {
    const double = await start((request, index) => ({ text: `${String(request.body['model'])} ${index}` }))
    await (await ask(double)).text()
    expect(await (await ask(double)).text()).toContain('"content":"m 1"')
  })
})

describe('a fault', () => {
  test('status answers with the scripted headers', async () => {
    const double = await start([{ fault: { type: 'status', status: 429, headers: { 'retry-after-ms': '5' } } }])
    const response = await ask(double)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after-ms')).toBe('5')
  })

  test.each([0, 1, 100, 317])('cut by an orderly end delivers exactly %i bytes', async (afterBytes) => {
    const double = await start([{ text: 'A text of some length', fault: { type: 'cut', afterBytes, by: 'end' } }])
    expect((await (await ask(double)).arrayBuffer()).byteLength).toBe(afterBytes)
  })

  test('cut by a drop makes the client see a broken body, and does not count as the client’s leaving', async () => {
    const double = await start([{ text: 'Hi', fault: { type: 'cut', afterBytes: 40, by: 'drop' } }])
    await expect((await ask(double)).text()).rejects.toThrow()
    expect(await (await double.received(0)).ended).toBe('answered')
  })

  test('stall before the headers lasts until the client leaves, which is recorded', async () => {
    const double = await start([{ fault: { type: 'stall', before: 'headers' } }])
    const client = new AbortController()
    const response = ask(double, { signal: client.signal })
    const request = await double.received(0)
    client.abort()
    await expect(response).rejects.toThrow()
    expect(await request.ended).toBe('client left')
  })

  test('stall in the body ends when the double is closed', async () => {
    const double = await start([{ text: 'Hi', fault: { type: 'stall', afterBytes: 30 } }])
    const body = (await ask(double)).text()
    const [outcome] = await Promise.allSettled([body, double.close()])
    expect(outcome.status).toBe('rejected')
  })

  test('error event takes the place of the end', async () => {
    const double = await start([{ text: 'Hi', fault: { type: 'error_event', message: 'overloaded' } }])
    const stream = await (await ask(double)).text()
    expect(chunksOf(stream).at(-1)).toMatchObject({ error: { message: 'overloaded' } })
    expect(stream).not.toContain('finish_reason":"stop')
  })
})

describe('a request', () => {
  test('is recorded with its headers and its body', async () => {
    const double = await start([{ text: 'Hi' }])
    await (await ask(double)).text()
    expect(double.requests).toMatchObject([
      {
        path: '/v1/chat/completions',
        headers: { authorization: 'Bearer test-key' },
        body: { model: 'm', stream: true },
      },
    ])
    expect(await double.requests[0]?.ended).toBe('answered')
  })

  test('to another path, or for an answer in one piece, is refused', async () => {
    const double = await start([])
    expect((await ask(double, { path: '/embeddings' })).status).toBe(404)
    expect((await ask(double, { body: { model: 'm' } })).status).toBe(400)
  })
})

interface Piece {
  index: number
  function: { arguments: string }
}

function piecesOf(stream: string): Piece[] {
  const found = stream.matchAll(/"tool_calls":\[(\{.*\})\]\},"finish_reason":null/g)
  return Array.from(found, (match) => JSON.parse(match[1] ?? ''))
}

function argumentsByIndex(stream: string): string[] {
  const texts: string[] = []
  for (const piece of piecesOf(stream)) texts[piece.index] = (texts[piece.index] ?? '') + piece.function.arguments
  return texts
}

function indexOrder(stream: string): number[] {
  return piecesOf(stream).map((piece) => piece.index)
}
