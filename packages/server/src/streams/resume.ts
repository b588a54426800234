import { type CancelledExecution, LAST_EVENT_ID_HEADER } from '@svc/contract'
import { type AppError, invalidField, notFound, notHeld, peerAway } from '../errors.ts'
import type { StreamDeps } from './deps.ts'
import type { PeerCall } from './peer-signature-rules.ts'
import type { PeerAnswer } from './peers.ts'
import { isResumeKey } from './resume-key-rules.ts'
import { findStoredRun, type StoredRun } from './store.ts'
import type { StreamedRun } from './streamed-runs.ts'

export interface ResumeRequest {
  ownerId: string
  runtimeId: string
  executionId: string
  resumeKey: string
}

type Detached = StreamedRun & { events: NonNullable<StreamedRun['events']> }

/** Where the events of a run are: here, or in the answer of the replica that holds them. */
export type Source = { run: Detached; answer: null } | { run: null; answer: PeerAnswer }

/** Finds the events of a run. Throws one 404 for a wrong id, key or runtime, and another where no replica holds them. */
export async function openSource(deps: StreamDeps, sought: ResumeRequest, after: number): Promise<Source> {
  requireKey(deps, sought)
  const run = deps.streams.find(sought.executionId)
  if (run) return { run: requireEvents(deps, run, after), answer: null }
  const path = `${peerPath(sought.executionId)}/events?after=${after}`
  const answer = await askPeer(deps, await storedOf(deps, sought), { method: 'GET', path })
  return { run: null, answer }
}

/** The run that another replica asks about. Its request is signed, so no key is checked. */
export function heldRun(deps: StreamDeps, executionId: string): StreamedRun {
  const run = deps.streams.find(executionId)
  if (run === null) throw notHeld(deps.limits.resumeMs)
  return run
}

/** The run, whose events are kept. Throws where they are not, and where there is no event `after`. */
export function requireEvents({ limits }: Pick<StreamDeps, 'limits'>, run: StreamedRun, after: number): Detached {
  const { events } = run
  if (events === null) throw notHeld(limits.resumeMs)
  if (after > events.lastId) throw noSuchEvent()
  return Object.assign(run, { events })
}

/** Cancels an execution and answers once it has ended, calls under way included. An ended one stays as it is. */
export async function cancelRun(deps: StreamDeps, sought: ResumeRequest): Promise<CancelledExecution> {
  requireKey(deps, sought)
  const { executionId } = sought
  const run = deps.streams.find(executionId)
  if (run) return cancelHeld(run)
  const stored = await storedOf(deps, sought)
  if (stored.status !== 'running') return { executionId, status: stored.status }
  const answer = await askPeer(deps, stored, { method: 'POST', path: `${peerPath(executionId)}/cancel` })
  return parseCancelAnswer(answer)
}

export async function cancelHeld(run: StreamedRun): Promise<CancelledExecution> {
  if (run.status === 'running') {
    run.cancel()
    await new Promise<void>((resolve) => {
      run.ended.addEventListener('abort', resolve)
    })
  }
  return { executionId: run.executionId, status: run.status }
}

export function peerPath(executionId: string): string {
  return `/v1/peers/executions/${encodeURIComponent(executionId)}`
}

function requireKey({ keyring }: StreamDeps, { runtimeId, executionId, resumeKey }: ResumeRequest): void {
  if (!isResumeKey(keyring, { runtimeId, executionId }, resumeKey)) throw notFound('The execution')
}

async function storedOf({ db, limits }: StreamDeps, sought: ResumeRequest): Promise<StoredRun> {
  const stored = await findStoredRun(db, sought)
  if (stored === undefined) throw notHeld(limits.resumeMs)
  return stored
}

async function askPeer(deps: StreamDeps, { nodeId, nodeUrl }: StoredRun, call: PeerCall): Promise<PeerAnswer> {
  if (nodeUrl === null || nodeId === deps.nodeId) throw notHeld(deps.limits.resumeMs)
  const answer = await deps.peers.ask(nodeUrl, call).catch((cause: unknown) => {
    throw peerAway(cause)
  })
  if (answer.status === 200) return answer
  answer.body.destroy()
  if (answer.status === 400) throw noSuchEvent()
  throw answer.status === 404 ? notHeld(deps.limits.resumeMs) : peerAway()
}

function noSuchEvent(): AppError {
  return invalidField(LAST_EVENT_ID_HEADER, 'is the id of no event of this execution.')
}

async function parseCancelAnswer({ body }: PeerAnswer): Promise<CancelledExecution> {
  // Of a replica of the same release.
  let text = ''
  for await (const part of body.setEncoding('utf8')) text += String(part)
  return JSON.parse(text)
}
