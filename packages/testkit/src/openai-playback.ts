import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type DoubleFault, type DoubleTurn, eventsOfTurn } from './openai-turn.ts'

interface Stage {
  response: ServerResponse
  /** Called where the script drops the connection, so that it does not count as “client left”. */
  markAnswered(): void
}

/** Sends one turn with its fault. Resolves once nothing more will be sent. */
export async function playTurn(stage: Stage, turn: DoubleTurn, model: string): Promise<void> {
  const { fault } = turn
  if (fault?.type === 'status') return refuse(stage.response, fault)
  if (fault?.type === 'stall' && 'before' in fault) return untilClientLeaves(stage.response)
  stage.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  stage.response.flushHeaders()
  const broken = fault?.type === 'stall' || fault?.type === 'cut'
  await send(stage.response, eventsOfTurn(turn, model), broken ? fault.afterBytes : Number.POSITIVE_INFINITY)
  if (fault?.type === 'stall') return untilClientLeaves(stage.response)
  if (fault?.type === 'cut' && fault.by === 'drop') {
    stage.markAnswered()
    stage.response.destroy()
    return
  }
  stage.response.end()
}

function refuse(response: ServerResponse, fault: Extract<DoubleFault, { type: 'status' }>): void {
  const { status, headers = {}, message = `Answered ${status} as scripted.` } = fault
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ error: { message, type: 'scripted_error', param: null, code: null } }))
}

async function untilClientLeaves(response: ServerResponse): Promise<void> {
  if (!response.closed) await once(response, 'close')
}

// A whole turn is written event by event, as a model answers; one that breaks off in a single write of the exact length.
async function send(response: ServerResponse, events: readonly string[], limit: number): Promise<void> {
  if (limit !== Number.POSITIVE_INFINITY) return write(response, Buffer.from(events.join('')).subarray(0, limit))
  for (const event of events) await write(response, Buffer.from(event))
}

function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0 || response.closed) return Promise.resolve()
  return new Promise((resolve) => response.write(bytes, () => resolve()))
}
