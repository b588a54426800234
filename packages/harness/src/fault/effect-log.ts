import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { CapabilityCall } from '@svc/contract'
import { listenOnFreePort } from '@svc/testkit'
import { z } from 'zod'

/** What one call did to the owner's database. */
export interface Effect {
  callId: string
  executionId: string
  op: number
  /** How often it was done; more than once is what must never be. */
  count: number
  /** When it was first done, epoch milliseconds. */
  at: number
  /** When its first call was answered or reset; null until then. */
  endedAt: number | null
  wasReset: boolean
}

/** An owner's endpoint that outlives the servers which call it, and keeps of each call its effect alone. */
export interface EffectLog {
  url: string
  /** By call id. */
  effects: ReadonlyMap<string, Effect>
  close(): Promise<void>
}

const Work = z.object({ op: z.number(), ms: z.number(), reset: z.boolean() })
export type Work = z.infer<typeof Work>

/** Starts it in this process. What a call's input says is done: count, work for `ms`, then answer or reset. */
export async function startEffectLog(now: () => number): Promise<EffectLog> {
  const effects = new Map<string, Effect>()
  const note = ({ callId, executionId }: CapabilityCall, work: Work) => {
    const effect: Effect = effects.get(callId) ?? {
      callId,
      executionId,
      op: work.op,
      count: 0,
      at: now(),
      endedAt: null,
      wasReset: work.reset,
    }
    effect.count += 1
    effects.set(callId, effect)
    return effect
  }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const call = CapabilityCall.parse(JSON.parse(await textOf(request)))
    const work = Work.parse(call.input)
    const effect = note(call, work)
    const answer = () => {
      effect.endedAt ??= now()
      if (work.reset) response.socket?.resetAndDestroy()
      else answerOutput(response, work.op)
    }
    if (work.ms === 0) answer()
    else setTimeout(answer, work.ms)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const { url, close } = await listenOnFreePort(server)
  return { url: `${url}/svc`, effects, close }
}

function answerOutput(response: ServerResponse, op: number): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output: { op } }))
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}
