import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import type { Schemas } from '../../api/client.ts'
import { invitationsQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { formatTime } from '../../ui/format.ts'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useGivenAgain } from '../account/given-again.tsx'
import { type Role, roleName } from '../role.ts'
import { NewOwnerLink } from './new-owner-link.tsx'
import { RoleField } from './role-field.tsx'
import { type Invite, useInvitations } from './use-invitations.ts'

type Invitation = Schemas['Invitation']

/** Invites people, and shows who has not come yet. */
export function Invitations(): ReactNode {
  const { data, error, refetch } = useQuery(invitationsQuery)
  const { invite, revoke } = useInvitations()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const [again, setAgain] = useState<string | null>(null)
  const given = useGivenAgain()
  const isOwner = role === 'owner'
  const problem = messageBeside(revoke.error, [])
  return (
    <>
      <Card title="Invite a member" description="An address belongs to one account.">
        <Form
          className="max-w-2xl"
          sending={invite}
          onSend={() => invite.mutate({ email, role, ...(isOwner && given.body) }, { onSuccess: () => setEmail('') })}
          fields={['email', 'role', ...(isOwner ? given.names : [])]}
          action="Invite"
          isBlocked={isOwner && given.isMissing}
        >
          <div className="flex flex-wrap items-start gap-3">
            <div className="min-w-56 flex-1">
              <TextField
                label="E-mail"
                name="email"
                type="email"
                autoComplete="off"
                value={email}
                onChange={(event) => setEmail(event.target.value)}
              />
            </div>
            <div className="w-full sm:w-64">
              <RoleField value={role} onChange={setRole} />
            </div>
          </div>
          {isOwner && given.fields}
          {invite.data && <Invited invitation={invite.data} />}
        </Form>
      </Card>
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      {problem !== null && <Notice kind="bad">{problem}</Notice>}
      {data && data.invitations.length > 0 && (
        <Card isFlush title="Pending invitations" description="A new link ends the one before.">
          <Table
            caption="Pending invitations"
            columns={columns({
              again: (next) => (next.role === 'owner' ? setAgain(next.email) : invite.mutate(next)),
              revoke: revoke.mutate,
            })}
            rows={data.invitations}
            rowKey={({ invitationId }) => invitationId}
          />
        </Card>
      )}
      {again !== null && <NewOwnerLink email={again} send={invite.mutateAsync} onClose={() => setAgain(null)} />}
    </>
  )
}

function Invited({ invitation: { email, link } }: { invitation: Schemas['CreatedInvitation'] }): ReactNode {
  if (link === null) return <Notice kind="ok">The invitation was mailed to {email}.</Notice>
  return (
    <Notice kind="ok">
      <p className="mb-2 font-medium">Send this link to {email}. It is shown only once, and works once, for 7 days.</p>
      <CodeBlock text={link} label={`the link for ${email}`} />
    </Notice>
  )
}

interface Acts {
  again: (invite: Invite) => void
  revoke: (invitationId: string) => void
}

function columns({ again, revoke }: Acts): Column<Invitation>[] {
  return [
    { heading: 'E-mail', cell: ({ email }) => <span className="font-medium [overflow-wrap:anywhere]">{email}</span> },
    { heading: 'Role', cell: ({ role }) => roleName(role) },
    { heading: 'Expires', isExtra: true, cell: ({ expiresAt }) => formatTime(expiresAt) },
    {
      heading: 'Actions',
      cell: ({ invitationId, email, role }) => (
        <div className="flex flex-wrap gap-2">
          <Button size="small" aria-label={`New link for ${email}`} onClick={() => again({ email, role })}>
            New link
          </Button>
          <Button
            size="small"
            kind="ghost"
            aria-label={`Revoke the invitation of ${email}`}
            onClick={() => revoke(invitationId)}
          >
            Revoke
          </Button>
        </div>
      ),
    },
  ]
}
