import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useMay } from '../role.ts'
import { Countdown } from './countdown.tsx'
import { RotateDialog } from './rotate-dialog.tsx'

interface KeyCardProps {
  runtimeId: string
  runtimeName: string
  type: Schemas['RuntimeKeyType']
  /** Null: it was revoked. */
  prefix: string | null
  /** Until when the one before it works; null: there is none that does. */
  previousEndsAt: string | null
  title: string
  description: string
}

/** One key, and what can be done with it. A key that is shown is shown in this screen alone, until it is left. */
export function KeyCard(props: KeyCardProps): ReactNode {
  const { runtimeId, runtimeName, type, prefix, previousEndsAt, title, description } = props
  const [dialog, setDialog] = useState<'rotate' | 'revoke' | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const { reveal, rotate, revoke } = useKey(runtimeId, type, (key) => {
    setShown(key)
    setDialog(null)
  })
  const { change } = useMay()
  const problem = messageBeside(reveal.error, [])
  return (
    <Card
      title={title}
      description={description}
      actions={
        change && (
          <div className="flex flex-wrap gap-2">
            {prefix !== null && shown === null && (
              <Button size="small" isBusy={reveal.isPending} onClick={() => reveal.mutate()}>
                Reveal
              </Button>
            )}
            {shown !== null && (
              <Button size="small" onClick={() => setShown(null)}>
                Hide
              </Button>
            )}
            <Button size="small" onClick={() => setDialog('rotate')}>
              {prefix === null ? 'Create a new key' : 'Rotate'}
            </Button>
            {prefix !== null && (
              <Button size="small" kind="ghost" onClick={() => setDialog('revoke')}>
                Revoke
              </Button>
            )}
          </div>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {shown === null ? <Prefix prefix={prefix} /> : <CodeBlock text={shown} label={`the ${type} key`} />}
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        {previousEndsAt !== null && <Countdown until={previousEndsAt} />}
      </div>
      {dialog === 'rotate' && (
        <RotateDialog
          title={`Rotate the ${type} key`}
          rotating={rotate}
          onRotate={(graceSeconds) => rotate.mutate(graceSeconds)}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === 'revoke' && (
        <ConfirmDialog
          title={`Revoke the ${type} key`}
          phrase={runtimeName}
          action="Revoke key"
          sending={revoke}
          onConfirm={() => revoke.mutate()}
          onClose={() => setDialog(null)}
        >
          The current {type} key and the previous one stop working at once. This cannot be undone.
        </ConfirmDialog>
      )}
    </Card>
  )
}

function Prefix({ prefix }: { prefix: string | null }): ReactNode {
  return prefix === null ? (
    <div>
      <Badge tone="bad">Revoked</Badge>
    </div>
  ) : (
    <code className="text-sm [overflow-wrap:anywhere]">{prefix}</code>
  )
}

function useKey(runtimeId: string, type: Schemas['RuntimeKeyType'], onKey: (key: string | null) => void) {
  const queryClient = useQueryClient()
  const params = { path: { runtimeId } }
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['runtime', runtimeId] })
  const reveal = useMutation({
    gcTime: 0,
    mutationFn: () => bodyOf(api.POST('/v1/runtimes/{runtimeId}/reveal-key', { params, body: { type } })),
    onSuccess: ({ key }) => onKey(key),
  })
  const rotate = useMutation({
    gcTime: 0,
    mutationFn: (graceSeconds: number) =>
      bodyOf(api.POST('/v1/runtimes/{runtimeId}/rotate-key', { params, body: { type, graceSeconds } })),
    onSuccess: ({ key }) => {
      onKey(key)
      void refresh()
    },
  })
  const revoke = useMutation({
    mutationFn: () => bodyOf(api.POST('/v1/runtimes/{runtimeId}/revoke-key', { params, body: { type } })),
    onSuccess: async () => {
      onKey(null)
      toast(`The ${type} key was revoked.`)
      await refresh()
    },
  })
  return { reveal, rotate, revoke }
}
