import { Agent } from 'undici'
import type { CallLimit } from './call-limit.ts'
import { createGuardedConnector, type GuardOptions } from './endpoint-guard.ts'
import { type AnswerRoom, Exchange, type Reply } from './exchange.ts'
import { inPieces } from './in-pieces.ts'
import type { Address } from './lanes.ts'

export interface OutgoingCall {
  address: Address
  /** Names and values in turn. */
  headers: string[]
  body: Buffer
}

/** The one pool of connections to endpoints. HTTP/1.1, one call at a time on each, idle ones kept for five seconds. */
export function createAgent(options: GuardOptions): Agent {
  return new Agent({
    connect: inPieces(createGuardedConnector(options)),
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 5000,
    maxHeaderSize: 16 * 1024,
    // Gaps between bytes are not timed: the limit of the whole call covers a drip as well as a silence.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Makes one try. Resolves once, at the latest when `limit` ends; a connection left in the middle is destroyed. */
export function send(agent: Agent, call: OutgoingCall, limit: CallLimit, room: AnswerRoom): Promise<Reply> {
  const { address, headers, body } = call
  const { origin, path } = address
  return new Promise((resolve) => {
    const exchange = new Exchange(limit, room, resolve)
    if (!exchange.isOver) agent.dispatch({ origin, path, method: 'POST', headers, body }, exchange)
  })
}
