import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { invitationsQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { formatTime } from '../../ui/format.ts'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type Role, roleName } from '../role.ts'
import { RoleField } from './role-field.tsx'

type Invitation = Schemas['Invitation']
type Invite = { email: string; role: Role }

/** Invites people, and shows who has not come yet. */
export function Invitations(): ReactNode {
  const { data, error, refetch } = useQuery(invitationsQuery)
  const { invite, revoke } = useInvitations()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('developer')
  const problem = messageBeside(revoke.error, [])
  return (
    <>
      <Card title="Invite a member" description="An address belongs to one account.">
        <Form
          className="max-w-lg"
          sending={invite}
          onSend={() => invite.mutate({ email, role }, { onSuccess: () => setEmail('') })}
          fields={['email', 'role']}
          action="Invite"
        >
          <TextField
            label="E-mail"
            name="email"
            type="email"
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <RoleField value={role} onChange={setRole} />
          {invite.data && <Invited invitation={invite.data} />}
        </Form>
      </Card>
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      {problem !== null && <Notice kind="bad">{problem}</Notice>}
      {data && data.invitations.length > 0 && (
        <Card isFlush title="Pending invitations" description="A new link ends the one before.">
          <Table
            caption="Pending invitations"
            columns={columns({ again: invite.mutate, revoke: revoke.mutate })}
            rows={data.invitations}
            rowKey={({ invitationId }) => invitationId}
          />
        </Card>
      )}
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

function useInvitations() {
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: invitationsQuery.queryKey })
  const invite = useMutation({
    gcTime: 0,
    mutationFn: (body: Invite) => bodyOf(api.POST('/v1/account/invitations', { body })),
    // Not waited for: the link would not be shown before the list is there again.
    onSuccess: () => void refresh(),
  })
  const revoke = useMutation({
    mutationFn: (invitationId: string) =>
      bodyOf(api.DELETE('/v1/account/invitations/{invitationId}', { params: { path: { invitationId } } })),
    onSuccess: async () => {
      invite.reset()
      await refresh()
    },
  })
  return { invite, revoke }
}
