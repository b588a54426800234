import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { membersQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { ROLES, roleName, useMay } from '../role.ts'
import { Invitations } from './invitations.tsx'
import { RemoveMember } from './remove-member.tsx'
import { RoleDialog } from './role-dialog.tsx'

type Member = Schemas['Member']

/** Who works in the account, in which role; for owners, the way to change that. */
export function Members(): ReactNode {
  const { data, error, isPending, refetch } = useQuery(membersQuery)
  const { administer } = useMay()
  // An account keeps one owner.
  const owners = data?.members.filter(({ role }) => role === 'owner') ?? []
  const isLastOwner = ({ role }: Member) => role === 'owner' && owners.length === 1
  const [changed, setChanged] = useState<Member | null>(null)
  const [removed, setRemoved] = useState<Member | null>(null)
  return (
    <Page title="Members" description="The people of this account, each with their own login.">
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      <Card isFlush title="Members">
        {isPending && <Loading />}
        {data && (
          <Table
            caption="Members"
            columns={columns({ administer, isLastOwner, change: setChanged, remove: setRemoved })}
            rows={data.members}
            rowKey={({ memberId }) => memberId}
          />
        )}
      </Card>
      {administer && <Invitations />}
      <Card title="Roles">
        <Facts facts={ROLES.map(({ name, may }) => [name, may])} />
      </Card>
      {changed && <RoleDialog member={changed} onClose={() => setChanged(null)} />}
      {removed && <RemoveMember member={removed} onClose={() => setRemoved(null)} />}
    </Page>
  )
}

interface Acts {
  administer: boolean
  isLastOwner: (member: Member) => boolean
  change: (member: Member) => void
  remove: (member: Member) => void
}

function columns({ administer, isLastOwner, change, remove }: Acts): Column<Member>[] {
  return [
    {
      heading: 'E-mail',
      cell: ({ email, isSelf, role }) => (
        <div className="min-w-48">
          <span className="flex flex-wrap items-center gap-2 [overflow-wrap:anywhere]">
            <span className="font-medium">{email}</span>
            {isSelf && <Badge>You</Badge>}
          </span>
          <span className="text-xs text-muted md:hidden">{roleName(role)}</span>
        </div>
      ),
    },
    { heading: 'Role', isExtra: true, cell: ({ role }) => roleName(role) },
    { heading: 'Joined', isExtra: true, cell: ({ joinedAt }) => <Ago at={joinedAt} /> },
    {
      heading: 'Actions',
      cell: (member) =>
        !isLastOwner(member) && (
          <div className="flex flex-wrap gap-2">
            {administer && (
              <Button size="small" aria-label={`Change the role of ${member.email}`} onClick={() => change(member)}>
                Change role
              </Button>
            )}
            {(administer || member.isSelf) && (
              <Button
                size="small"
                kind="ghost"
                aria-label={member.isSelf ? 'Leave the account' : `Remove ${member.email}`}
                onClick={() => remove(member)}
              >
                {member.isSelf ? 'Leave' : 'Remove'}
              </Button>
            )}
          </div>
        ),
    },
  ]
}
