import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api/client.ts'
import { accountQuery } from '../api/queries.ts'

export type Role = Schemas['Role']

/** The roles from the least to the most, with what each may do. */
export const ROLES: readonly { role: Role; name: string; may: string }[] = [
  { role: 'viewer', name: 'Viewer', may: 'Reads everything but secrets.' },
  { role: 'developer', name: 'Developer', may: 'Works on runtimes, keys and projects.' },
  { role: 'owner', name: 'Owner', may: 'Everything, with members, billing and the account.' },
]

export function roleName(role: Role): string {
  return ROLES.find((each) => each.role === role)?.name ?? role
}

/** Rights of the signed-in member. The service decides: the pages only hide buttons that it would refuse. */
export function useMay(): { change: boolean; administer: boolean } {
  const role = useQuery(accountQuery).data?.role
  return { change: role === 'developer' || role === 'owner', administer: role === 'owner' }
}
