import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, bodyOf, type Schemas } from './client.ts'
import { everyPage } from './every-page.ts'

const LIVE_MS = 4_000
const PAGE = 50
/** A list with more pages than this is no longer asked for again by itself: each time would ask for all of them. */
const LIVE_PAGES = 3

/** The signed-in account. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: () => bodyOf(api.GET('/v1/account')),
  staleTime: 60_000,
})

/** Who works in the account, and who is invited to. */
export const membersQuery = queryOptions({
  queryKey: ['account', 'members'],
  queryFn: () => bodyOf(api.GET('/v1/account/members')),
})

export const invitationsQuery = queryOptions({
  queryKey: ['account', 'invitations'],
  queryFn: () => bodyOf(api.GET('/v1/account/invitations')),
})

/** Whether two-factor sign-in is on. */
export const twoFactorQuery = queryOptions({
  queryKey: ['account', 'totp'],
  queryFn: () => bodyOf(api.GET('/v1/auth/totp')),
})

export const accountKeysQuery = queryOptions({
  queryKey: ['account', 'keys'],
  queryFn: () =>
    everyPage(async (query) => {
      const { keys, nextCursor } = await bodyOf(api.GET('/v1/account/keys', { params: { query } }))
      return { items: keys, nextCursor }
    }),
})

/** The member’s sessions, the last used first. */
export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: () => bodyOf(api.GET('/v1/auth/sessions')),
})

/** The machine that waits under the code of `svc login`. Asked once: each look counts as a try at a code. */
export function waitingDeviceQuery(userCode: string) {
  return queryOptions({
    queryKey: ['device', userCode],
    queryFn: () => bodyOf(api.GET('/v1/account/devices/{userCode}', { params: { path: { userCode } } })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
}

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: () =>
    everyPage(async (query) => {
      const { projects, nextCursor } = await bodyOf(api.GET('/v1/projects', { params: { query } }))
      return { items: projects, nextCursor }
    }),
})

/** The runtimes of one project, or of all. */
export function runtimesQuery(projectId?: string) {
  const filter: { projectId?: string } = projectId === undefined ? {} : { projectId }
  return queryOptions({
    queryKey: ['runtimes', { projectId }],
    queryFn: () =>
      everyPage(async (query) => {
        const { runtimes, nextCursor } = await bodyOf(
          api.GET('/v1/runtimes', { params: { query: { ...query, ...filter } } }),
        )
        return { items: runtimes, nextCursor }
      }),
  })
}

export function runtimeQuery(runtimeId: string) {
  return queryOptions({
    queryKey: ['runtime', runtimeId],
    queryFn: () => bodyOf(api.GET('/v1/runtimes/{runtimeId}', { params: { path: { runtimeId } } })),
  })
}

/** What a runtime has deployed, newest first, page by page. */
export function deploymentsQuery(runtimeId: string) {
  return infiniteQueryOptions({
    queryKey: ['runtime', runtimeId, 'deployments'],
    queryFn: ({ pageParam }) => {
      const query = { limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) }
      return bodyOf(api.GET('/v1/runtimes/{runtimeId}/deployments', { params: { path: { runtimeId }, query } }))
    },
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
  })
}

/** What the stable deployment and the candidate of a runtime serve. */
export function trafficQuery(runtimeId: string) {
  return queryOptions({
    queryKey: ['runtime', runtimeId, 'traffic'],
    queryFn: () => bodyOf(api.GET('/v1/runtimes/{runtimeId}/traffic', { params: { path: { runtimeId } } })),
    refetchInterval: LIVE_MS,
  })
}

/** What happened in the account lately, newest first. */
export const eventsQuery = queryOptions({
  queryKey: ['events'],
  queryFn: () => bodyOf(api.GET('/v1/events', { params: { query: { limit: PAGE } } })),
  refetchInterval: 15_000,
})

/** The webhooks of the account. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => bodyOf(api.GET('/v1/webhooks')),
})

export function webhookQuery(webhookId: string) {
  return queryOptions({
    queryKey: ['webhooks', webhookId],
    queryFn: () => bodyOf(api.GET('/v1/webhooks/{webhookId}', { params: { path: { webhookId } } })),
  })
}

/** Deliveries to a webhook, newest first, page by page. */
export function deliveriesQuery(webhookId: string) {
  return infiniteQueryOptions({
    queryKey: ['webhooks', webhookId, 'deliveries'],
    queryFn: ({ pageParam }) => {
      const query = { limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) }
      return bodyOf(api.GET('/v1/webhooks/{webhookId}/deliveries', { params: { path: { webhookId }, query } }))
    },
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: ({ state }) => (isTooLongForLive(state.data?.pages) ? false : LIVE_MS),
  })
}

/** One deployment with its manifest, which never changes. */
export function deploymentQuery(runtimeId: string, version: number) {
  const params = { path: { runtimeId, version } }
  return queryOptions({
    queryKey: ['runtime', runtimeId, 'deployment', version],
    queryFn: () => bodyOf(api.GET('/v1/runtimes/{runtimeId}/deployments/{version}', { params })),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** What a runtime publishes. Refused where it publishes nothing. */
export function manifestQuery(runtimeId: string) {
  return queryOptions({
    queryKey: ['runtime', runtimeId, 'manifest'],
    // The answer may be held for a while by whatever stands in between, which a look right after a deployment must not see.
    queryFn: () =>
      bodyOf(api.GET('/v1/runtime/{runtimeId}/manifest', { params: { path: { runtimeId } }, cache: 'no-store' })),
    retry: false,
  })
}

/** Filters of the list of executions, as the address carries them. */
export interface ExecutionFilters {
  status?: Schemas['ExecutionStatus'] | undefined
  calls?: 'failed' | 'unknown' | undefined
  feedback?: 'up' | 'down' | undefined
  runtimeId?: string | undefined
  projectId?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** Executions, newest first, page by page. */
export function executionsQuery(filters: ExecutionFilters, isLive: boolean) {
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
  return infiniteQueryOptions({
    queryKey: ['executions', given],
    queryFn: ({ pageParam }) => {
      const query = { ...given, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) }
      return bodyOf(api.GET('/v1/executions', { params: { query } }))
    },
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: ({ state }) => (isLive && !isTooLongForLive(state.data?.pages) ? LIVE_MS : false),
  })
}

/** The newest executions that failed. */
export function failuresQuery(filters: Omit<ExecutionFilters, 'status' | 'calls'>, limit: number) {
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
  const query = { ...given, status: 'failed' as const, limit }
  return queryOptions({
    queryKey: ['executions', 'failures', query],
    queryFn: () => bodyOf(api.GET('/v1/executions', { params: { query } })),
  })
}

/** The newest calls that wait for a person's approval. */
export function pendingApprovalsQuery(isLive: boolean) {
  const query = { status: 'pending' as const, limit: PAGE }
  return queryOptions({
    queryKey: ['approvals', query],
    queryFn: () => bodyOf(api.GET('/v1/executions/approvals', { params: { query } })),
    refetchInterval: isLive ? LIVE_MS : false,
  })
}

/** Whether so much of a list is shown that it is no longer asked for again by itself. */
export function isTooLongForLive(pages: readonly unknown[] = []): boolean {
  return pages.length > LIVE_PAGES
}

function firstPage(): string | null {
  return null
}

/** The trace of an execution, asked for again while it runs, and while a call of it waits for a person or its answer. */
export function traceQuery(executionId: string) {
  return queryOptions({
    queryKey: ['trace', executionId],
    queryFn: () => bodyOf(api.GET('/v1/executions/{executionId}', { params: { path: { executionId } } })),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data) ? LIVE_MS / 2 : false),
  })
}

function isOpen({ status, approvals, capabilityCalls }: Schemas['Trace']): boolean {
  const recorded = new Set(capabilityCalls.map(({ callId }) => callId))
  const isAwaited = approvals.some(
    (approval) => approval.status === 'pending' || (approval.status === 'approved' && !recorded.has(approval.callId)),
  )
  return status === 'running' || isAwaited
}

export interface SummaryFilters {
  from?: string | undefined
  to?: string | undefined
  bucket?: Schemas['AnalyticsBucket'] | undefined
  projectId?: string | undefined
  runtimeId?: string | undefined
}

export function summaryQuery(filters: SummaryFilters) {
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
  return queryOptions({
    queryKey: ['analytics', query],
    queryFn: () => bodyOf(api.GET('/v1/analytics/summary', { params: { query } })),
  })
}

export const plansQuery = queryOptions({
  queryKey: ['billing', 'plans'],
  queryFn: () => bodyOf(api.GET('/v1/billing/plans')),
})

export const usageQuery = queryOptions({
  queryKey: ['billing', 'usage'],
  queryFn: () => bodyOf(api.GET('/v1/billing/usage')),
  refetchInterval: 30_000,
})
