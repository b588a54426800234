import { atLeast, atMost, type Check, exactly } from '../../support/scenario.ts'
import type { History, Told } from '../history.ts'

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

/**
 * A statement that is not answered is given up after five and a half seconds, waiting for a connection after two. What
 * comes meanwhile waits for both, and then for a connection of its own.
 */
const REFUSED_WITHIN_MS = 10_000
/** `/ready` waits two seconds for the database, and believes what it saw for one. */
const UNREADY_AFTER_MS = 4_000
const FIRST_SUCCESS_MS = 5_000
/** In each outage, that there was somebody to refuse, and that each kind of look was taken. */
const ASKED_EACH = 10
const LASTING_EACH = 1

/** What servers have to do without their database, and once it is back. Counts over all outages. */
export function judgeOutages(outages: readonly OutageNotes[]): Check[] {
  const asked = outages.map(operationsDuring)
  const reads = outages.map((outage) => looksDuring(outage, 'read'))
  const health = outages.map((outage) => looksDuring(outage, 'health'))
  const readiness = outages.map((outage) =>
    looksDuring(outage, 'readiness').filter(({ at }) => at >= outage.from + UNREADY_AFTER_MS),
  )
  const lasting = outages.map((outage) => outage.lasting)
  return [
    atLeast('operations asked for while it was away, fewest in an outage', fewest(asked), ASKED_EACH),
    exactly('of these, not refused because the database is away (500)', asked.flat().filter(isNotRefused).length, 0),
    atMost('longest wait for such a refusal', longest(asked.flat().map(tookMs)), REFUSED_WITHIN_MS, 'ms'),
    atLeast('reads while it was away, fewest in an outage', fewest(reads), ASKED_EACH),
    exactly('of these, not refused with 500 and Retry-After', reads.flat().filter(isNotPutOff).length, 0),
    atMost(
      'longest wait for such a refusal of a read',
      longest(reads.flat().map((look) => look.tookMs)),
      REFUSED_WITHIN_MS,
      'ms',
    ),
    atLeast('looks at /health, fewest in an outage', fewest(health), ASKED_EACH),
    exactly('of these, not answered with 200', health.flat().filter(({ status }) => status !== 200).length, 0),
    atLeast('looks at /ready, four seconds into it, fewest in an outage', fewest(readiness), ASKED_EACH),
    exactly('of these, not answered with 503', readiness.flat().filter(({ status }) => status !== 503).length, 0),
    atLeast('executions that ran on through it, fewest in an outage', fewest(lasting), LASTING_EACH),
    exactly('of these, not completed', lasting.flat().filter(({ as }) => as !== 'completed').length, 0),
    atMost('until every server had a first success, longest', longest(outages.map(successMs)), FIRST_SUCCESS_MS, 'ms'),
  ]
}

/** What was asked for since then. What is still not answered stands as ended now, and told nothing. */
export function askedSince({ operations, underWay }: History, from: number, now: number): Asked[] {
  const unheard = [...underWay].map(
    ({ invokedAt }): Asked => ({ invokedAt, endedAt: now, told: { as: 'unknown', reason: 'not heard of yet' } }),
  )
  return [...operations, ...unheard].filter(({ invokedAt }) => invokedAt >= from)
}

function operationsDuring(outage: OutageNotes): Asked[] {
  return outage.operations.filter(({ invokedAt, endedAt }) => isDuring(outage, invokedAt, endedAt))
}

function looksDuring(outage: OutageNotes, wanted: Look['what']): Look[] {
  return outage.looks.filter(({ what, at, tookMs }) => what === wanted && isDuring(outage, at, at + tookMs))
}

/** What is asked shortly before its end may find the database back. All else is judged, however late it ends. */
function isDuring({ from, to }: OutageNotes, askedAt: number, endedAt: number): boolean {
  return askedAt >= from && (askedAt <= to - REFUSED_WITHIN_MS || endedAt <= to)
}

function isNotRefused({ told }: Asked): boolean {
  return told.as !== 'refused' || told.status !== 500
}

function isNotPutOff({ status, hasRetryAfter }: Look): boolean {
  return status !== 500 || !hasRetryAfter
}

function tookMs({ invokedAt, endedAt }: Asked): number {
  return endedAt - invokedAt
}

function successMs(outage: OutageNotes): number {
  return outage.successMs
}

function fewest(lists: readonly (readonly unknown[])[]): number {
  return lists.length === 0 ? 0 : Math.min(...lists.map(({ length }) => length))
}

function longest(times: readonly number[]): number {
  return Math.max(0, ...times)
}
