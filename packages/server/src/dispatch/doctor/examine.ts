import type { TLSSocket } from 'node:tls'
import type { DoctorReport, DoctorRow } from '@svc/contract'
import type { Agent } from 'undici'
import type { Clock } from '../../lib/clock.ts'
import { Deadline } from '../../lib/deadline.ts'
import type { StopSignal } from '../../lib/stop-signal.ts'
import type { DispatchTarget } from '../call-types.ts'
import { type Address, addressOf } from '../endpoint-states.ts'
import { DIAGNOSES } from './diagnoses.ts'
import { answerRow, connectionRows, failed, isHtml, passed, refusedRow, type TlsFacts } from './endpoint-rows.ts'
import { FALSE_CHECKS, UNPARSABLE, UNUSUAL_JSON } from './false-checks.ts'
import { createCallMaker, type MakeCall, type ProbeRequest } from './probe-calls.ts'
import { exchangeProbe, type Observation } from './probe-exchange.ts'
import { refusalCodeOf } from './read-observation.ts'
import { clockRow, falseRow, isAccepted, latencyRow, rawBodyRow, verifyFirstRows } from './receiver-rows.ts'

export interface Examination {
  target: DispatchTarget
  /** Of one call. */
  ids(): { executionId: string; callId: string }
  /** Ends it where its caller leaves. */
  signal?: StopSignal
}

export interface ExaminationDeps {
  clock: Clock
  nonce(): string
  callMs: number
  /** A pool of its own, whose connections are looked at. */
  openAgent(onConnect: (socket: object) => void): Agent
}

/** Calls of one examination under way at once. */
const AT_ONCE = 5
/** Of the time of a call, what one that runs nothing may take; and what all calls together may. */
const SLOW_SHARE = 1 / 4
const ALL_CALLS = 3

type Send = (request: ProbeRequest) => Promise<Observation>

interface Round {
  deps: ExaminationDeps
  send: Send
  make: MakeCall
  genuine: Observation
  /** Signed with a secret that a rotation replaced. */
  isPrevious: boolean
  request: ProbeRequest
}

/** Calls an endpoint in right and in false ways, and tells what it makes of them. Nothing is logged, counted or stored. */
export async function examine(deps: ExaminationDeps, { target, ids, signal }: Examination): Promise<DoctorReport> {
  const address = addressOf(target.endpoint)
  if (address === null) return reportOf([failed('endpoint', 'The endpoint’s address may not be called.', MEND_ADDRESS)])
  let tls: TlsFacts | null = null
  const agent = deps.openAgent((socket) => {
    tls = tlsFacts(socket)
  })
  const total = new Deadline(ALL_CALLS * deps.callMs, signal)
  try {
    const send = sender(deps, { agent, address, total })
    const round = await firstRound(deps, { target, ids, send })
    const isHttps = address.origin.startsWith('https:')
    const rows = [
      passed('endpoint', 'The endpoint’s address is one that may be called.'),
      ...connectionRows(round.genuine, isHttps, tls),
    ]
    if (!rows.every(({ ok }) => ok)) return reportOf(rows)
    return reportOf([...rows, ...(await receiverRows(round))])
  } finally {
    total.release()
    await agent.destroy()
  }
}

function reportOf(rows: DoctorRow[]): DoctorReport {
  return { ok: rows.every(({ ok }) => ok), rows }
}

const MEND_ADDRESS = 'Register an address that begins with https://.'

function tlsFacts(socket: object): TlsFacts | null {
  if (!('getPeerCertificate' in socket)) return null
  const { getProtocol, getPeerCertificate } = socket as TLSSocket
  const { valid_to: validTo } = getPeerCertificate.call(socket)
  return { protocol: getProtocol.call(socket) ?? 'TLS', validTo }
}

const WITH_PREVIOUS =
  'A genuine call is accepted with the previous secret alone: give the endpoint the new one while that works.'

function sender(
  { clock, callMs }: ExaminationDeps,
  { agent, address, total }: { agent: Agent; address: Address; total: Deadline },
): Send {
  return async (request) => {
    const deadline = new Deadline(callMs, total)
    const observation = await exchangeProbe({ agent, clock, address }, request, deadline)
    deadline.release()
    return observation
  }
}

/** The genuine call: with each secret that works, and once more for a nonce store that has just started. */
async function firstRound(
  deps: ExaminationDeps,
  { target, ids, send }: Pick<Examination, 'target' | 'ids'> & { send: Send },
): Promise<Round> {
  const { current, previous } = target.secrets
  const inGrace = previous && previous.expiresAt > deps.clock.now() ? [previous.secret] : []
  let round: Round | undefined
  for (const secret of [current, ...inGrace]) {
    const make = createCallMaker({ runtimeId: target.runtimeId, secret, clock: deps.clock, nonce: deps.nonce, ids })
    for (let tries = 0; tries < 2; tries += 1) {
      const request = make()
      const next = { deps, send, make, request, genuine: await send(request), isPrevious: secret !== current }
      if (next.genuine.status !== 401) return next
      round ??= next
      if (refusalCodeOf(next.genuine) !== 'nonce_store_cold') break
    }
  }
  if (!round) throw new Error('a runtime has a secret')
  return round
}

async function receiverRows(round: Round): Promise<DoctorRow[]> {
  const { genuine } = round
  if (!(await isTaken(round))) return [await diagnosed(round)]
  const answer = answerRow(genuine)
  const genuineRow = passed('genuine-call', round.isPrevious ? WITH_PREVIOUS : 'A genuine call is accepted.')
  // A page, or an answer without end, is no receiver’s: what it makes of false calls says nothing.
  const isReceiver = genuine.fault === null && !isHtml(genuine.contentType)
  if (!isReceiver) return [genuineRow, answer]
  return [genuineRow, answer, ...(await falseRows(round))]
}

/** A 404 without a code is one of a receiver only where a false call gets another answer. */
async function isTaken({ genuine, send, make }: Round): Promise<boolean> {
  if (genuine.status === 200) return true
  if (genuine.status !== 404) return false
  if (refusalCodeOf(genuine) === 'unknown_capability') return true
  const { status } = await send(make({ signature: () => '0'.repeat(64) }))
  return status === 401 || status === 403
}

async function diagnosed({ genuine, send, make }: Round): Promise<DoctorRow> {
  const { status } = genuine
  if (status !== 400 && status !== 401 && status !== 403) return refusedRow(genuine)
  const answers = await sendAll(
    send,
    DIAGNOSES.map(({ call }) => make(call)),
  )
  const taken = answers.findIndex((answer) => answer.status === 200 || refusalCodeOf(answer) === 'unknown_capability')
  const found = DIAGNOSES[taken]
  return found ? failed(found.check, found.message, found.mend) : refusedRow(genuine)
}

async function falseRows({ deps, genuine, request, send, make }: Round): Promise<DoctorRow[]> {
  const requests = FALSE_CHECKS.flatMap(({ calls }) =>
    calls.map(({ call }) => (call === 'again' ? request : make(call))),
  )
  const judged = [...requests, make(UNPARSABLE), make(UNUSUAL_JSON)]
  const answers = await sendAll(send, judged)
  const [unparsable, unusual] = answers.splice(-2)
  if (!unparsable || !unusual) throw new Error('every request has an answer')
  const byRule = new Map(FALSE_CHECKS.map((rule) => [rule, answers.splice(0, rule.calls.length)]))
  const wrongSecret = [...byRule].find(([{ check }]) => check === 'wrong-secret')?.[1][0] ?? unparsable
  return [
    latencyRow([genuine, isAccepted(unusual, genuine) ? unusual : null], deps.callMs * SLOW_SHARE),
    clockRow(genuine),
    rawBodyRow(unusual, genuine),
    ...verifyFirstRows(unparsable, wrongSecret, genuine),
    ...[...byRule].map(([rule, given]) => falseRow(rule, given, genuine)),
  ]
}

async function sendAll(send: Send, requests: readonly ProbeRequest[]): Promise<Observation[]> {
  const answers: Observation[] = []
  for (let start = 0; start < requests.length; start += AT_ONCE) {
    answers.push(...(await Promise.all(requests.slice(start, start + AT_ONCE).map(send))))
  }
  return answers
}
