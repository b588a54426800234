import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { webhooksQuery } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'

interface DeleteWebhookProps {
  webhookId: string
  url: string
  onClose: () => void
}

/** Deletes a webhook after its host was typed. */
export function DeleteWebhook({ webhookId, url, onClose }: DeleteWebhookProps): ReactNode {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const deleting = useMutation({
    mutationFn: () => bodyOf(api.DELETE('/v1/webhooks/{webhookId}', { params: { path: { webhookId } } })),
    onSuccess: async () => {
      toast('Webhook deleted.')
      await navigate({ to: '/webhooks' })
      await queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey })
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
      Your server gets no more messages for this webhook, and messages that wait are deleted. Other webhooks stay.
    </ConfirmDialog>
  )
}
