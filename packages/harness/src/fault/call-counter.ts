import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { listenOnFreePort } from '@svc/testkit'
import { z } from 'zod'

/** A call as it reached the owner's code. */
export interface Effect {
  callId: string
  executionId: string
}

export interface CallCounter {
  url: string
  effects: readonly Effect[]
  close(): Promise<void>
}

export interface CallCounterWish {
  afterMs?: number
  outputBytes?: number
  /** Told of every call as it arrives, with the `tag` of its metadata. */
  onCall?: (tag: string) => void
}

const Call = z.object({
  callId: z.string(),
  executionId: z.string(),
  metadata: z.object({ tag: z.string().default('') }),
})

/** An owner's endpoint that counts what reaches it and answers after a while with an output of about so many bytes. */
export async function startCallCounter(given: CallCounterWish = {}): Promise<CallCounter> {
  const { afterMs = 0, outputBytes = 2, onCall } = given
  const effects: Effect[] = []
  const body = JSON.stringify({ output: 'x'.repeat(outputBytes) })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Uint8Array[] = []
    for await (const piece of request) pieces.push(piece)
    const { callId, executionId, metadata } = Call.parse(JSON.parse(Buffer.concat(pieces).toString()))
    effects.push({ callId, executionId })
    onCall?.(metadata.tag)
    if (afterMs > 0) await pause(afterMs)
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  const { url, close } = await listenOnFreePort(server)
  return { url, effects, close }
}
