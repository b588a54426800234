import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { sessionsQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'

type Session = Schemas['SessionItem']

/** Where the member is logged in, and a way to log each of them out. */
export function Sessions(): ReactNode {
  const { data, error, isPending, refetch } = useQuery(sessionsQuery)
  const { revoke, revokeOthers } = useRevoke()
  const problem = messageBeside(revoke.error ?? revokeOthers.error, [])
  const hasOthers = data?.sessions.some(({ isCurrent }) => !isCurrent) ?? false
  return (
    <Card
      isFlush
      title="Sessions"
      description="Browsers and programs that are logged in as you. Revoke any that you do not recognize."
      actions={
        hasOthers && (
          <Button isBusy={revokeOthers.isPending} onClick={() => revokeOthers.mutate()}>
            Revoke all others
          </Button>
        )
      }
    >
      {problem !== null && (
        <div className="px-5 pb-5">
          <Notice kind="bad">{problem}</Notice>
        </div>
      )}
      {isPending && <Loading />}
      {error && (
        <div className="p-5 pt-0">
          <LoadError error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data && (
        <Table
          caption="Sessions"
          columns={columns(revoke.isPending ? revoke.variables : null, (id) => revoke.mutate(id))}
          rows={data.sessions}
          rowKey={({ sessionId }) => sessionId}
        />
      )}
    </Card>
  )
}

function columns(revoking: string | null, revoke: (sessionId: string) => void): Column<Session>[] {
  return [
    {
      heading: 'Device',
      cell: ({ device, isCurrent }) => (
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{device ?? 'Unknown device'}</span>
          {isCurrent && <Badge tone="accent">This session</Badge>}
        </span>
      ),
    },
    {
      heading: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Unknown' : <Ago at={lastUsedAt} />),
    },
    { heading: 'Created', isExtra: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      heading: 'Actions',
      cell: ({ sessionId, device, isCurrent }) =>
        !isCurrent && (
          <Button
            size="small"
            aria-label={`Revoke the session ${device ?? 'of an unknown device'}`}
            isBusy={revoking === sessionId}
            onClick={() => revoke(sessionId)}
          >
            Revoke
          </Button>
        ),
    },
  ]
}

function useRevoke() {
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  const revoke = useMutation({
    mutationFn: (sessionId: string) =>
      bodyOf(api.DELETE('/v1/auth/sessions/{sessionId}', { params: { path: { sessionId } } })),
    onSuccess: async () => {
      toast('Session revoked.')
      await refresh()
    },
  })
  const revokeOthers = useMutation({
    mutationFn: () => bodyOf(api.DELETE('/v1/auth/sessions')),
    onSuccess: async ({ revoked }) => {
      toast(revoked === 1 ? '1 session revoked.' : `${revoked} sessions revoked.`)
      await refresh()
    },
  })
  return { revoke, revokeOthers }
}
