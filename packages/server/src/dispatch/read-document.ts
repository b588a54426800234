import type { Agent, Dispatcher } from 'undici'
import { BoundedBuffer } from '../lib/bounded-buffer.ts'
import { addressOf } from './endpoint-states.ts'

const MAX_BYTES = 64 * 1024

/** Gets a JSON document, without following redirects. Null where none of 64 KiB at most came with status 200. */
export async function readDocument(agent: Agent, url: string, signal: AbortSignal): Promise<unknown> {
  const address = addressOf(url)
  if (address === null) return null
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'svc' }
  try {
    const answer = await agent.request({ ...address, method: 'GET', headers, signal })
    if (answer.statusCode === 200) return JSON.parse((await textOf(answer)) ?? 'null')
    await answer.body.dump({ limit: MAX_BYTES })
    return null
  } catch {
    return null
  }
}

/** Null where it is too large; the connection is closed then. */
async function textOf({ body, headers }: Dispatcher.ResponseData): Promise<string | null> {
  const { 'content-length': length } = headers
  const read = new BoundedBuffer(MAX_BYTES, length === undefined ? null : Number(length))
  for await (const chunk of body) if (!read.append(chunk)) return null
  return new TextDecoder('utf-8', { fatal: true }).decode(read.bytes())
}
