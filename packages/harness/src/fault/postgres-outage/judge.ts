import { atLeast, atMost, type Check, exactly } from '../../support/scenario.ts'
import type { Told } from '../history.ts'

/** One look at a server from outside. Times in epoch milliseconds. */
export interface Look {
  what: 'health' | 'readiness' | 'read'
  at: number
  tookMs: number
  /** Null: no answer. */
  status: number | null
  hasRetryAfter: boolean
}

/** An operation that was asked for while the database was away, as far as it is judged. */
export interface Asked {
  invokedAt: number
  endedAt: number
  told: Told
}

/** One time in which the database could not be reached. */
export interface OutageNotes {
  from: number
  to: number
  looks: readonly Look[]
  operations: readonly Asked[]
  /** Executions that began before it and ended after it, as their callers were told. */
  lasting: readonly Told[]
  /** From its end until every server had completed something that was asked for since it began. */
  successMs: number
}

/** A statement that is not answered is given up after seven seconds, and waiting for a connection after two. */
const REFUSED_WITHIN_MS = 10_000
/** `/ready` waits two seconds for the database, and believes what it saw for one. */
const UNREADY_AFTER_MS = 4_000
const FIRST_SUCCESS_MS = 5_000
/** For each outage, that there was somebody to refuse. */
const ASKED_EACH = 10

/** What servers have to do without their database, and once it is back. Counts over all outages. */
export function judgeOutages(outages: readonly OutageNotes[]): Check[] {
  const asked = outages.flatMap(during)
  const looks = (what: Look['what']) => outages.flatMap((outage) => looksDuring(outage, what))
  const reads = looks('read')
  const lasting = outages.flatMap((outage) => outage.lasting)
  const tooReady = outages.flatMap((outage) =>
    looksDuring(outage, 'readiness').filter(({ at, status }) => at >= outage.from + UNREADY_AFTER_MS && status !== 503),
  )
  return [
    atLeast('operations asked for while it was away', asked.length, outages.length * ASKED_EACH),
    exactly('of these, not refused as too much for now (429)', asked.filter(isNotRefused).length, 0),
    atMost('longest wait for such a refusal', longest(asked.map(tookMs)), REFUSED_WITHIN_MS, 'ms'),
    atLeast('reads while it was away', reads.length, outages.length * ASKED_EACH),
    exactly('of these, not refused with 429 and Retry-After', reads.filter(isNotPutOff).length, 0),
    atMost(
      'longest wait for such a refusal of a read',
      longest(reads.map((look) => look.tookMs)),
      REFUSED_WITHIN_MS,
      'ms',
    ),
    exactly('answers of /health other than 200', looks('health').filter(({ status }) => status !== 200).length, 0),
    exactly('answers of /ready other than 503, four seconds into it', tooReady.length, 0),
    atLeast('executions that ran on through it', lasting.length, outages.length),
    exactly('of these, not completed', lasting.filter(({ as }) => as !== 'completed').length, 0),
    atMost('until every server had a first success, longest', longest(outages.map(successMs)), FIRST_SUCCESS_MS, 'ms'),
  ]
}

/** Asked for and answered while it was away: what ends later may have found it back. */
function during({ operations, from, to }: OutageNotes): Asked[] {
  return operations.filter(({ invokedAt, endedAt }) => invokedAt >= from && endedAt <= to)
}

function looksDuring({ looks, from, to }: OutageNotes, wanted: Look['what']): Look[] {
  return looks.filter(({ what, at, tookMs }) => what === wanted && at >= from && at + tookMs <= to)
}

function isNotRefused({ told }: Asked): boolean {
  return told.as !== 'refused' || told.status !== 429
}

function isNotPutOff({ status, hasRetryAfter }: Look): boolean {
  return status !== 429 || !hasRetryAfter
}

function tookMs({ invokedAt, endedAt }: Asked): number {
  return endedAt - invokedAt
}

function successMs(outage: OutageNotes): number {
  return outage.successMs
}

function longest(times: readonly number[]): number {
  return Math.max(0, ...times)
}
