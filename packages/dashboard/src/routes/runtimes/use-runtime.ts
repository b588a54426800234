import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { runtimeQuery } from '../../api/queries.ts'

/** The runtime whose tab this is; its page has loaded it. */
export function useRuntime(): Schemas['RuntimeDetail'] {
  const { runtimeId } = useParams({ from: '/app/session/runtimes/$runtimeId' })
  return useSuspenseQuery(runtimeQuery(runtimeId)).data
}
