import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'

interface DeleteWebhookProps {
  webhook: Schemas['Webhook']
  onClose: () => void
}

export function DeleteWebhook({ webhook: { webhookId, url }, onClose }: DeleteWebhookProps): ReactNode {
  const queryClient = useQueryClient()
  const deleting = useMutation({
    mutationFn: () => bodyOf(api.DELETE('/v1/webhooks/{webhookId}', { params: { path: { webhookId } } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey })
      toast('Webhook deleted.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title="Delete webhook"
      phrase={new URL(url).host}
      action="Delete webhook"
      sending={deleting}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      Events that wait for {url} are not sent any more. This cannot be undone.
    </ConfirmDialog>
  )
}
