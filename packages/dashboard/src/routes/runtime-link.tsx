import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runtimesQuery } from '../api/queries.ts'

/** The name of a runtime, or its id while the names load or once it is deleted. Leads to its deployments. */
export function RuntimeLink({ runtimeId }: { runtimeId: string }): ReactNode {
  const { data } = useQuery(runtimesQuery())
  const name = data?.find((runtime) => runtime.runtimeId === runtimeId)?.name ?? runtimeId
  return (
    <Link
      to="/runtimes/$runtimeId/deployments"
      params={{ runtimeId }}
      className="underline-offset-2 [overflow-wrap:anywhere] hover:underline"
    >
      {name}
    </Link>
  )
}
