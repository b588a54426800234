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

type AccountKey = Schemas['AccountKey']

/** The keys that programs use in the owner’s name. */
export function AccountKeys(): ReactNode {
  const keys = useQuery(accountKeysQuery)
  const [revoked, setRevoked] = useState<AccountKey | null>(null)
  return (
    <Card
      isFlush
      title="API keys"
      description="For programs that use the API as you. Keys cannot change the password. “svc login” creates one for your machine."
    >
      <div className="px-5 pb-5">
        <NewKey />
      </div>
      {keys.isPending && <Loading />}
      {keys.isError && (
        <div className="p-5 pt-0">
          <LoadError error={keys.error} onRetry={() => void keys.refetch()} />
        </div>
      )}
      {keys.data?.length === 0 && (
        <Empty picture="rows" title="No API keys">
          Create a key for each program, so that you can revoke each one separately.
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
    { heading: 'Created', isExtra: 'wide', cell: ({ createdAt }) => <Ago at={createdAt} /> },
    {
      heading: 'Last used',
      isExtra: true,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Ago at={lastUsedAt} />),
    },
    {
      heading: 'Status',
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
  const queryClient = useQueryClient()
  const making = useMutation({
    gcTime: 0,
    mutationFn: () => bodyOf(api.POST('/v1/account/keys', { body: { name } })),
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
        className="flex max-w-md items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          making.mutate()
        }}
      >
        <div className="flex-1">
          <TextField
            label="Name of a new key"
            placeholder="Continuous integration"
            value={name}
            onChange={(event) => setName(event.target.value)}
            errors={messagesFor(making.error, 'name')}
          />
        </div>
        <Button kind="primary" type="submit" isBusy={making.isPending}>
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
