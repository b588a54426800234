import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { accountQuery } from '../api/queries.ts'
import { Notice } from '../ui/notice.tsx'
import { roleName } from './role.ts'

/** In place of a screen that a viewer comes to by its address. */
export function NeedsRole(): ReactNode {
  const role = useQuery(accountQuery).data?.role
  if (role === undefined) return null
  return (
    <Notice kind="info">
      This needs the role developer. Yours is {roleName(role).toLowerCase()}: ask an owner of the account.
    </Notice>
  )
}
