import { ExecutionList } from '@svc/contract'
import { z } from 'zod'
import type { Random } from '../../support/random.ts'

/** A kind of request that is measured on histories of different sizes. */
export interface GrowthCase {
  name: string
  method: 'GET' | 'POST'
  /** Paths, of which each request takes the next. */
  paths: readonly [string, ...string[]]
  /** What an answer must hold to count. */
  mark: string
}

/** Where a history is asked. */
export interface HistorySource {
  url: string
  /** Of the server's process. */
  pid: number
  apiKey: string
  runtimeIds: readonly string[]
  projectId: string
  capabilityPaths: readonly [string, ...string[]]
  beginsAt: number
  endsAt: number
  /** Ids of executions of the big owner, from all over the time. */
  executionIds: readonly string[]
}

// Small enough for the smallest history to fill them: pages of different lengths could not be compared.
const PAGE = 'limit=50'
const PAGE_OF_FEW = 'limit=10'
const DEEP_PAGES = 20
const YEAR_MS = 365 * 86_400_000

/** What an owner with a tenth of all executions looks at, and a stranger's call. */
export async function growthCases(source: HistorySource, random: Random): Promise<GrowthCase[]> {
  const list = '/v1/executions'
  const [runtimeId = ''] = source.runtimeIds
  const quarter = (source.endsAt - source.beginsAt) / 4
  const middle = `from=${Math.round(source.beginsAt + quarter)}&to=${Math.round(source.endsAt - quarter)}`
  const cursors = await deepCursors(source, random)
  const each = (page: string) => toPaths(cursors.map((cursor) => `${list}?${page}&cursor=${cursor}`))
  const summary = (lengthMs: number) => `/v1/analytics/summary?from=${source.endsAt - lengthMs}`
  const rows = '"executions":[{'
  return [
    get('newest page', [`${list}?${PAGE}`], rows),
    get('deep page', each(PAGE), rows),
    get('deep page, failed', each(`${PAGE_OF_FEW}&status=failed`), rows),
    get('newest page of a runtime', [`${list}?${PAGE}&runtimeId=${runtimeId}`], rows),
    get('page of a runtime, middle half', [`${list}?${PAGE_OF_FEW}&runtimeId=${runtimeId}&${middle}`], rows),
    get('page of a project, failed', [`${list}?${PAGE_OF_FEW}&projectId=${source.projectId}&status=failed`], rows),
    get('one trace', toPaths(source.executionIds.map((id) => `${list}/${id}`)), '"capabilityCalls":[{'),
    get('summary of 7 days', [summary(7 * 86_400_000)], '"capabilities":[{'),
    get('summary of a year', [summary(YEAR_MS)], '"capabilities":[{'),
    get('billing usage', ['/v1/billing/usage'], '"periodStart"'),
    { name: 'broker call', method: 'POST', paths: source.capabilityPaths, mark: '"executionId"' },
  ]
}

function get(name: string, paths: GrowthCase['paths'], mark: string): GrowthCase {
  return { name, method: 'GET', paths, mark }
}

async function deepCursors(source: HistorySource, random: Random): Promise<string[]> {
  const span = source.endsAt - source.beginsAt
  // So much remains behind each that even the smallest history fills a page of failed ones.
  const times = Array.from({ length: DEEP_PAGES }, () =>
    Math.round(source.beginsAt + span * (0.7 + 0.25 * random.next())),
  )
  return Promise.all(
    times.map(async (to) => {
      const page = ExecutionList.parse(await read(source, `/v1/executions?limit=1&to=${to}`))
      return z.string().parse(page.nextCursor)
    }),
  )
}

/** A JSON answer of the owner's plane. Throws what is not a 200. */
export async function read(source: Pick<HistorySource, 'url' | 'apiKey'>, path: string): Promise<unknown> {
  const answer = await fetch(`${source.url}${path}`, { headers: { authorization: `Bearer ${source.apiKey}` } })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

function toPaths(paths: readonly string[]): GrowthCase['paths'] {
  const [first, ...rest] = paths
  if (first === undefined) throw new Error('nothing to ask for')
  return [first, ...rest]
}
