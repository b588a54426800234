import { type Dispatcher, Pool } from 'undici'
import { z } from 'zod'

const Done = z.object({
  executionId: z.string(),
  status: z.enum(['completed', 'failed']),
  finishReason: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  error: z.object({ message: z.string() }).optional(),
})

/** What an execution came to, as its caller was told. */
export type Told = z.infer<typeof Done>

/** What a caller of execute has heard when the connection is over. */
export interface HeardExecution {
  /** Null: no answer began. */
  status: number | null
  /** Events of a stream before its `done`. */
  eventCount: number
  /** The body of the answer, or of the `done` event; null where there was none. */
  told: Told | null
  /** Anything after `done`. */
  hasMore: boolean
  /** The body of an answer that was no execution's. */
  text: string
  /** Why the connection ended before the answer did; null where it did not. */
  brokenBy: string | null
}

export interface ExecuteCall {
  /** Left out at the broker. */
  key?: string
  path?: string
  tag: string
  isStream: boolean
  /** Default: a conversation that carries the tag. */
  body?: unknown
  signal?: AbortSignal
  /** Called as soon as the head of the answer is there. */
  onBegin?: () => void
}

/** Callers of execute, with as many connections as calls are under way. */
export interface ExecuteCallers {
  execute(call: ExecuteCall): Promise<HeardExecution>
  close(): Promise<void>
}

export function createExecuteCallers(url: string): ExecuteCallers {
  const pool = new Pool(url, { connections: null, pipelining: 1, headersTimeout: 330_000, bodyTimeout: 330_000 })
  return { execute: (call) => execute(pool, call), close: () => pool.destroy() }
}

/** The body of an execute that the model double knows by its tag, and its row by its metadata. */
export function taggedBody(tag: string): { messages: unknown[]; metadata: { tag: string } } {
  return { messages: [{ role: 'user', parts: [{ type: 'text', content: `tag:${tag} ` }] }], metadata: { tag } }
}

async function execute(pool: Dispatcher, call: ExecuteCall): Promise<HeardExecution> {
  const heard: HeardExecution = { status: null, eventCount: 0, told: null, hasMore: false, text: '', brokenBy: null }
  try {
    const answer = await pool.request({
      method: 'POST',
      path: call.path ?? '/v1/runtime/execute',
      headers: {
        'content-type': 'application/json',
        ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
        ...(call.isStream ? { accept: 'text/event-stream' } : {}),
      },
      body: JSON.stringify(call.body ?? taggedBody(call.tag)),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    })
    heard.status = answer.statusCode
    call.onBegin?.()
    if (String(answer.headers['content-type']).startsWith('text/event-stream')) await followStream(heard, answer.body)
    else hearWhole(heard, await answer.body.text())
  } catch (error) {
    heard.brokenBy = error instanceof Error ? error.message : String(error)
  }
  return heard
}

function hearWhole(heard: HeardExecution, text: string): void {
  const told = Done.safeParse(parsed(text))
  if (told.success) heard.told = told.data
  else heard.text = text
}

async function followStream(heard: HeardExecution, body: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const frames = rest.split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) hearFrame(heard, frame)
  }
  if (rest !== '') heard.hasMore = true
}

const FRAME = /^event: (\w+)\ndata: (.*)$/

function hearFrame(heard: HeardExecution, frame: string): void {
  if (frame.startsWith(':')) return
  const [, name, data = ''] = FRAME.exec(frame) ?? []
  if (heard.told !== null || name === undefined) heard.hasMore = true
  else if (name === 'done') heard.told = Done.parse(parsed(data))
  else heard.eventCount += 1
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
