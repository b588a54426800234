import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { BatchWriter } from '../executions/batch-writer.ts'
import type { RunningExecutions } from '../executions/running.ts'
import type { Settlements } from '../executions/settlements.ts'
import type { ActiveSet } from '../lib/active-set.ts'
import { Deadline } from '../lib/deadline.ts'
import type { StreamedRuns } from '../streams/streamed-runs.ts'

/**
 * From `closing` on `/ready` answers 503, and every answer closes its connection. In `refusing` all requests are refused but
 * those for detached streams of this server.
 */
export interface DrainState {
  phase: 'serving' | 'closing' | 'refusing'
}

/** In milliseconds. */
export interface DrainTimes {
  /** How long requests and executions may go on. */
  drainMs: number
  /** How long stopped executions may take to settle. Outcomes wait for the database for `drainMs` and `stopMs` together. */
  stopMs: number
  /** How long the last answers may take to leave. A connection without one may stay open for ever. */
  flushMs: number
}

interface DrainDeps {
  drainState: DrainState
  requests: ActiveSet<ServerResponse>
  running: Pick<RunningExecutions, 'size' | 'idle' | 'shutDown'>
  batchWriter: Pick<BatchWriter, 'stopWaiting'>
  settlements: Pick<Settlements, 'stopWaiting' | 'drain'>
  streams: Pick<StreamedRuns, 'detached'>
}

const FLUSH_STEP_MS = 20

/** Makes every answer close its connection, pending ones included, unless its head was sent. */
export function closeConnections({ drainState, requests }: Pick<DrainDeps, 'drainState' | 'requests'>): void {
  drainState.phase = 'closing'
  for (const answer of requests) if (!answer.headersSent) answer.setHeader('connection', 'close')
}

/**
 * Refuses new requests, and waits for open requests and executions, either of which may last longer than the other. Closes the
 * port once no detached stream is left: no other replica has its events. After `drainMs` it stops the remaining executions, and
 * those that begin later.
 */
export async function drain(app: FastifyInstance, deps: DrainDeps, times: DrainTimes): Promise<void> {
  deps.drainState.phase = 'refusing'
  const { requests, running } = deps
  const closed = allIdle([deps.streams.detached], times.drainMs).then(() => app.close())
  // Early enough before a supervisor kills the process: callers are then told that the outcome was not stored.
  const waitTimer = setTimeout(() => deps.settlements.stopWaiting(), times.drainMs + times.stopMs)
  await allIdle([requests, running], times.drainMs)
  running.shutDown()
  // Stopped executions send no further calls, so their records need not be written first.
  deps.batchWriter.stopWaiting('calls')
  await allIdle([requests, running], times.stopMs)
  await deps.settlements.drain()
  clearTimeout(waitTimer)
  await flush(app, closed, times.flushMs)
}

/** Waits until all sets are empty at once, or until the time is up. */
async function allIdle(sets: readonly Pick<ActiveSet<unknown>, 'size' | 'idle'>[], maxMs: number): Promise<void> {
  const deadline = new Deadline(maxMs)
  while (sets.some(({ size }) => size > 0) && !deadline.aborted) for (const set of sets) await set.idle(deadline)
  deadline.release()
}

/**
 * Waits until the server has closed. An answer closes a moment before its last byte has left, so a connection is closed once it
 * is idle again; one that never sent a request is not idle to Node.js, and is closed after `flushMs`.
 */
export async function flush(app: FastifyInstance, closed: Promise<void>, flushMs: number): Promise<void> {
  const closing = setInterval(() => app.server.closeIdleConnections(), FLUSH_STEP_MS)
  const end = setTimeout(() => app.server.closeAllConnections(), flushMs)
  await closed
  clearInterval(closing)
  clearTimeout(end)
}
