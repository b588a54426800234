import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { Stop } from '../lib/stop-signal.ts'

export interface DrainTimes {
  /** How long requests and executions may go on. */
  drainMs: number
  /** How long stopped executions may take to settle. Together with `drainMs` how long outcomes wait for the database. */
  stopMs: number
  /** How long the last answers may take to leave. A connection that has none to wait for may stay open for ever. */
  flushMs: number
}

type DrainDeps = Pick<Deps, 'drainState' | 'requests' | 'running' | 'callLog' | 'settlements'>

const FLUSH_STEP_MS = 20

/** Has every answer close its connection, those of requests that are under way included, unless its head has left. */
export function closeConnections({ drainState, requests }: Pick<Deps, 'drainState' | 'requests'>): void {
  drainState.phase = 'closing'
  for (const answer of requests) if (!answer.headersSent) answer.setHeader('connection', 'close')
}

/**
 * Takes no new connection and no new request, lets what is open be answered, and writes down how it ended. A request may become an execution
 * at any time until it is answered, and an execution may outlive its request: both are waited for. What is left after
 * `drainMs` is stopped, and so is each execution that begins later; all are told so.
 */
export async function drain(app: FastifyInstance, deps: DrainDeps, times: DrainTimes): Promise<void> {
  deps.drainState.phase = 'refusing'
  const closed = app.close()
  // By the clock, and before somebody kills us: until then what was kept may well outlast a database that restarts. After
  // it, a caller who is told that nothing is recorded knows more than one whose stream breaks.
  const hurrying = setTimeout(() => deps.settlements.hurry(), times.drainMs + times.stopMs)
  await nothingLeft(deps, times.drainMs)
  deps.running.shutDown()
  // What is stopped sends nothing any more, and need not wait for leave to.
  deps.callLog.hurry('calls')
  await nothingLeft(deps, times.stopMs)
  await deps.settlements.drain()
  clearTimeout(hurrying)
  await flush(app, closed, times.flushMs)
}

async function nothingLeft({ requests, running }: DrainDeps, maxMs: number): Promise<void> {
  const late = new Stop()
  const timer = setTimeout(() => late.abort(), maxMs)
  while (requests.size + running.size > 0 && !late.aborted) {
    await requests.idle(late)
    await running.idle(late)
  }
  clearTimeout(timer)
}

// An answer is over a moment before its last byte has left: a connection is closed once it is idle again.
async function flush(app: FastifyInstance, closed: Promise<void>, flushMs: number): Promise<void> {
  const closing = setInterval(() => app.server.closeIdleConnections(), FLUSH_STEP_MS)
  const end = setTimeout(() => app.server.closeAllConnections(), flushMs)
  await closed
  clearInterval(closing)
  clearTimeout(end)
}
