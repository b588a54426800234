import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listenOnFreePort } from '@svc/testkit'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { openModel } from '../../src/model/open-model.ts'
import { KEY, type Outcome, outcomeOf, textOf } from './support.ts'

// Replays the streams of streams/ over HTTP. streams/SOURCES.md says which are recordings.

interface Row {
  stream: string
  dialect: 'chat-completions' | 'anthropic' | 'google'
  tokens: [number, number]
}

const folder = new URL('./streams/', import.meta.url)
const rows: (Row & Record<string, unknown>)[] = readFileSync(new URL('table.jsonl', folder), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

const SPECS = { 'chat-completions': 'openai-compatible:m', anthropic: 'anthropic:m', google: 'google:m' }

type Cut = (body: Buffer) => Buffer[]
const inPiecesOf =
  (bytes: number): Cut =>
  (body) =>
    Array.from({ length: Math.ceil(body.length / bytes) }, (_, at) => body.subarray(at * bytes, (at + 1) * bytes))
const CUTS: Record<string, Cut> = {
  'in one piece': (body) => [body],
  // Of a long body only start and end go byte by byte: the middle has nothing new, and takes too long.
  'byte by byte': (body) => [
    ...inPiecesOf(1)(body.subarray(0, 500)),
    ...inPiecesOf(4_099)(body.subarray(500, -500)),
    ...(body.length > 1_000 ? inPiecesOf(1)(body.subarray(-500)) : inPiecesOf(1)(body.subarray(500))),
  ],
}

let pieces: readonly Buffer[] = []
const server = await listenOnFreePort(createServer((_request, response) => void send(response)))

afterAll(() => server.close())

async function send(response: ServerResponse): Promise<void> {
  response.socket?.setNoDelay(true)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) {
    response.write(piece)
    await nextTurn()
  }
  response.end()
}

function turnOf({ dialect }: Row): Promise<Outcome> {
  const env = {
    ANTHROPIC_API_KEY: KEY,
    ANTHROPIC_BASE_URL: server.url,
    GOOGLE_GENERATIVE_AI_API_KEY: KEY,
    GOOGLE_BASE_URL: server.url,
    SVC_MODEL_BASE_URL: server.url,
  }
  return outcomeOf(openModel({ spec: SPECS[dialect], env, limits: { modelMs: 600_000 } }))
}

// The outcome in the form of a row of table.jsonl.
function toRow({ stream, dialect }: Row, { events, error }: Outcome): Row {
  const text = textOf(events)
  const end = events.find((event) => event.type === 'end')
  const calls = events.flatMap((event) => (event.type === 'tool_call' ? [[event.name, event.input ?? null]] : []))
  const { inputTokens, outputTokens } = end?.usage ?? error?.usage ?? { inputTokens: -1, outputTokens: -1 }
  const said = { characters: text.length, sha256: createHash('sha256').update(text).digest('hex') }
  return {
    stream,
    dialect,
    ...(text.length <= 60 ? { text } : said),
    ...(end === undefined ? { failure: error?.message } : { end: end.reason }),
    ...(calls.length > 0 && { calls }),
    tokens: [inputTokens, outputTokens],
  }
}

// An error before the answer, which is retried after pauses: the test moves the clock.
const isRetried = ({ failure }: Record<string, unknown>) => failure === 'The model is not available at the moment.'

describe.each(Object.keys(CUTS))('%s', (name) => {
  const cut = CUTS[name]
  const of = (row: Row) => cut?.(readFileSync(new URL(row.stream, folder))) ?? []

  test.each(rows.filter((row) => !isRetried(row)))('$stream gives what the table says', async (row) => {
    pieces = of(row)
    expect(toRow(row, await turnOf(row))).toEqual(row)
  })

  test.each(rows.filter(isRetried))('$stream gives what the table says', async (row) => {
    pieces = of(row)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let isOver = false
    const turn = turnOf(row).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await vi.advanceTimersByTimeAsync(100)
      await nextTurn()
    }
    vi.useRealTimers()
    expect(toRow(row, await turn)).toEqual(row)
  })
})

test('the table has a row for every stream', () => {
  const streams = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sse'))
  expect(rows.map(({ stream }) => stream).sort()).toEqual(streams.sort())
})
