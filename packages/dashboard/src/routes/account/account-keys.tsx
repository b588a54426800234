import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageBeside, messagesFor } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { accountKeysQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { TextField } from '../../ui/field.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { RoleField } from '../members/role-field.tsx'
import { type Role, roleName, useMay } from '../role.ts'

type AccountKey = Schemas['AccountKey']

const OF_ACCOUNT =
  'For programs that use the API. Keys cannot change how anybody logs in. “svc login” creates keys that belong to one member.'
const OF_MEMBER = 'The keys that “svc login” created for your machines. They have your role.'

/** The keys that programs use in the name of the account or of a member. */
export function AccountKeys(): ReactNode {
  const keys = useQuery(accountKeysQuery)
  const { administer } = useMay()
  const [revoked, setRevoked] = useState<AccountKey | null>(null)
  return (
    <Card isFlush title="API keys" description={administer ? OF_ACCOUNT : OF_MEMBER}>
      {administer && (
        <div className="px-5 pb-5">
          <NewKey />
        </div>
      )}
      {keys.isPending && <Loading />}
      {keys.isError && (
        <div className="p-5 pt-0">
          <LoadError error={keys.error} onRetry={() => void keys.refetch()} />
        </div>
      )}
      {keys.data?.length === 0 && (
        <Empty picture="rows" title="No API keys">
          {administer
            ? 'Create a key for each program, so that you can revoke each one separately.'
            : 'Run “npx svc login” on your machine.'}
        </Empty>
      )}
      {keys.data && keys.data.length > 0 && (
        <Table caption="API keys" columns={columns(setRevoked)} rows={keys.data} rowKey={({ keyId }) => keyId} />
      )}
      {revoked && <RevokeKey accountKey={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  )
}

function columns(revoke: (key: AccountKey) => void): Column<AccountKey>[] {
  return [
    { heading: 'Name', cell: ({ name }) => <span className="font-medium [overflow-wrap:anywhere]">{name}</span> },
    { heading: 'Key', cell: ({ prefix }) => <code className="text-xs whitespace-nowrap">{prefix}</code> },
    {
      heading: 'Role',
      isExtra: true,
      cell: ({ role, member }) => (
        <>
          {roleName(role)}
          {member !== null && <p className="text-xs text-muted [overflow-wrap:anywhere]">{member}</p>}
        </>
      ),
    },
    { heading: 'Created', isExtra: 'wide', cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      heading: 'Last used',
      isExtra: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Ago at={lastUsedAt} />),
    },
    {
      heading: 'Actions',
      cell: (key) =>
        key.revokedAt === null ? (
          <Button size="small" aria-label={`Revoke the key ${key.name}`} onClick={() => revoke(key)}>
            Revoke
          </Button>
        ) : (
          <Badge>Revoked</Badge>
        ),
    },
  ]
}

function NewKey(): ReactNode {
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('owner')
  const queryClient = useQueryClient()
  const making = useMutation({
    gcTime: 0,
    mutationFn: () => bodyOf(api.POST('/v1/account/keys', { body: { name, role } })),
    onSuccess: () => {
      setName('')
      // Not waited for: the key would not be shown before the list is there again.
      void queryClient.invalidateQueries({ queryKey: accountKeysQuery.queryKey })
    },
  })
  const problem = messageBeside(making.error, ['name'])
  return (
    <div className="flex flex-col gap-4">
      <form
        className="flex max-w-3xl flex-wrap items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          making.mutate()
        }}
      >
        <div className="min-w-48 flex-1">
          <TextField
            label="Name of a new key"
            placeholder="Continuous integration"
            value={name}
            onChange={(event) => setName(event.target.value)}
            errors={messagesFor(making.error, 'name')}
          />
        </div>
        <div className="min-w-48 flex-1">
          <RoleField value={role} onChange={setRole} />
        </div>
        <Button kind="primary" type="submit" isBusy={making.isPending} className="mt-6.5">
          Create key
        </Button>
      </form>
      {problem !== null && <Notice kind="bad">{problem}</Notice>}
      {making.data && (
        <Notice kind="ok">
          <p className="mb-2 font-medium">Copy “{making.data.name}” now. It is shown only once.</p>
          <CodeBlock text={making.data.key} label="the API key" />
        </Notice>
      )}
    </div>
  )
}

function RevokeKey({ accountKey, onClose }: { accountKey: AccountKey; onClose: () => void }): ReactNode {
  const queryClient = useQueryClient()
  const revoking = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/v1/account/keys/{keyId}/revoke', { params: { path: { keyId: accountKey.keyId } } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: accountKeysQuery.queryKey })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Revoke API key"
      phrase={accountKey.name}
      action="Revoke key"
      sending={revoking}
      onConfirm={() => revoking.mutate()}
      onClose={onClose}
    >
      Programs that use {accountKey.prefix} are refused at once. This cannot be undone.
    </ConfirmDialog>
  )
}
