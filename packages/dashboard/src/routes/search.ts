import type { Schemas } from '../api/client.ts'

type Search = Record<string, unknown>

/** One text of an address’s query, or nothing. */
export function text<Name extends string>(search: Search, name: Name): { [Key in Name]?: string } {
  const value = search[name]
  const found: { [Key in Name]?: string } = {}
  if ((typeof value === 'string' && value !== '') || typeof value === 'number') found[name] = String(value)
  return found
}

/** Where to go once signed in. */
export interface SignInSearch {
  next?: string
}

export function readSignInSearch(search: Search): SignInSearch {
  const { next } = text(search, 'next')
  // A way within this page and nowhere else.
  return next !== undefined && /^\/(?![/\\])/.test(next) ? { next } : {}
}

const STATUSES: readonly Schemas['ExecutionStatus'][] = ['running', 'completed', 'failed']

/** The filters of the list of executions. Dates are days, `2026-01-31`. */
export interface ExecutionsSearch {
  status?: Schemas['ExecutionStatus']
  calls?: 'failed' | 'unknown'
  feedback?: 'up' | 'down'
  runtimeId?: string
  from?: string
  to?: string
}

export function readExecutionsSearch(search: Search): ExecutionsSearch {
  const status = STATUSES.find((known) => known === search['status'])
  const calls = (['failed', 'unknown'] as const).find((known) => known === search['calls'])
  const feedback = (['up', 'down'] as const).find((known) => known === search['feedback'])
  return {
    ...(status && { status }),
    ...(calls && { calls }),
    ...(feedback && { feedback }),
    ...text(search, 'runtimeId'),
    ...day(search, 'from'),
    ...day(search, 'to'),
  }
}

export const RANGES = ['24h', '7d', '30d', '90d', '400d'] as const
export type RangeName = (typeof RANGES)[number]

export interface AnalyticsSearch {
  range?: RangeName
  runtimeId?: string
}

export function readAnalyticsSearch(search: Search): AnalyticsSearch {
  const range = RANGES.find((known) => known === search['range'])
  return { ...(range && { range }), ...text(search, 'runtimeId') }
}

function day<Name extends string>(search: Search, name: Name): { [Key in Name]?: string } {
  const found = text(search, name)
  const value = found[name]
  return value !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(value) ? found : {}
}
