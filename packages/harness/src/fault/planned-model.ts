import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type DoubleTurn, eventsOfTurn, listenOnFreePort } from '@svc/testkit'
import { textOf, type Work } from './effect-log.ts'
import { type ModelPlan, readPlanWords } from './plan.ts'

/** The capability that the double asks for. */
export const CAPABILITY = 'work'

/** Tokens that the double reports for each of its turns, in and out. */
export const TOKENS_A_TURN = 18

/** A model that plays the plan in the user's words, and keeps of each operation how many turns it was asked for. */
export interface PlannedModel {
  /** For `SVC_MODEL_BASE_URL`. */
  baseUrl: string
  /** Requests by operation. */
  requests: ReadonlyMap<number, number>
  close(): Promise<void>
}

export async function startPlannedModel(): Promise<PlannedModel> {
  const requests = new Map<number, number>()
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const text = await textOf(request)
    const plan = readPlanWords(text)
    if (!plan) return void response.writeHead(400).end('{"error":{"message":"no plan"}}')
    requests.set(plan.op, (requests.get(plan.op) ?? 0) + 1)
    await play(response, turnOf(plan, text.includes('"role":"tool"')), plan.pieceMs)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const { url, close } = await listenOnFreePort(server)
  return { baseUrl: `${url}/v1`, requests, close }
}

/** Turns that an operation takes to its end. */
export function turnsOf({ calls }: Pick<ModelPlan, 'calls'>): number {
  return calls > 0 ? 2 : 1
}

function turnOf(plan: ModelPlan, hasResults: boolean): DoubleTurn {
  if (plan.calls === 0 || hasResults) return { text: ['That', ' is', ' done', '.'] }
  const input: Work = { op: plan.op, ms: plan.callMs, reset: plan.isReset }
  return { toolCalls: Array.from({ length: plan.calls }, () => ({ name: CAPABILITY, input })), pieceLength: 40 }
}

async function play(response: ServerResponse, turn: DoubleTurn, pieceMs: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of eventsOfTurn(turn, 'double')) {
    if (pieceMs > 0) await pause(pieceMs)
    if (response.destroyed) return
    response.write(event)
  }
  response.end()
}
