import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useMay } from '../role.ts'
import { Countdown } from './countdown.tsx'
import { GRACES, GraceField } from './rotate-dialog.tsx'

interface SecretCardProps {
  runtimeId: string
  runtimeName: string
  /** Until when the one before it works; null: there is none that does. */
  previousEndsAt: string | null
}

/** The signing secret, which is never shown but at the moment that it is made. */
export function SecretCard({ runtimeId, runtimeName, previousEndsAt }: SecretCardProps): ReactNode {
  const queryClient = useQueryClient()
  const { change } = useMay()
  const [isAsking, setAsking] = useState(false)
  const [graceSeconds, setGraceSeconds] = useState<number>(GRACES[0][0])
  const rotating = useMutation({
    gcTime: 0,
    mutationFn: () => {
      const params = { path: { runtimeId } }
      return bodyOf(api.POST('/v1/runtimes/{runtimeId}/rotate-secret', { params, body: { graceSeconds } }))
    },
    onSuccess: () => {
      setAsking(false)
      // Not waited for: the secret would not be shown before the runtime is there again.
      void queryClient.invalidateQueries({ queryKey: ['runtime', runtimeId] })
    },
  })
  return (
    <Card
      title="Signing secret"
      description="Your server uses it to verify calls from this service. It cannot be revealed again: if you lose it, rotate it."
      actions={
        change && (
          <Button size="small" onClick={() => setAsking(true)}>
            Rotate secret
          </Button>
        )
      }
    >
      {(rotating.data || previousEndsAt !== null) && (
        <div className="flex flex-col gap-4">
          {rotating.data && (
            <Notice kind="ok">
              <p className="mb-2 font-medium">Copy the new secret now. It is shown only once.</p>
              <CodeBlock text={rotating.data.secret} label="the signing secret" />
            </Notice>
          )}
          {previousEndsAt !== null && <Countdown until={previousEndsAt} />}
        </div>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Rotate the signing secret"
          phrase={runtimeName}
          action="Rotate secret"
          sending={rotating}
          onConfirm={() => rotating.mutate()}
          onClose={() => setAsking(false)}
        >
          <p className="mb-4">
            Give your server the new secret while the previous one still works. After that, a server with the old secret
            refuses every call.
          </p>
          <GraceField value={graceSeconds} onChange={setGraceSeconds} />
        </ConfirmDialog>
      )}
    </Card>
  )
}
