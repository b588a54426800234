import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DangerZone } from '../../ui/danger-zone.tsx'
import { toast } from '../../ui/toasts.tsx'
import { forgetCredentials } from '../runtimes/kept-credentials.ts'
import { useGivenAgain } from './given-again.tsx'

type Account = Schemas['Account']

/** The end of the account, and what it takes along. */
export function DeleteAccount({ account }: { account: Account }): ReactNode {
  return (
    <DangerZone action="Delete account" dialog={(close) => <DeleteAccountDialog account={account} onClose={close} />}>
      Deletes the account with all projects, runtimes, keys and executions.
    </DangerZone>
  )
}

function DeleteAccountDialog({ account, onClose }: { account: Account; onClose: () => void }): ReactNode {
  const { email, tier } = account
  const again = useGivenAgain()
  const [cancelSubscription, setCancel] = useState(false)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const deleting = useMutation({
    mutationFn: () => {
      const body = { confirm: email, ...again.body, ...(cancelSubscription && { cancelSubscription }) }
      return bodyOf(api.DELETE('/v1/account', { body }))
    },
    onSuccess: async () => {
      forgetCredentials()
      await navigate({ to: '/sign-in' })
      queryClient.clear()
      toast('Account deleted.')
    },
  })
  const fields = (
    <>
      {again.fields}
      {tier !== 'free' && (
        <label className="flex items-start gap-2 text-sm">
          <input
            type="checkbox"
            className="mt-1"
            checked={cancelSubscription}
            onChange={(event) => setCancel(event.target.checked)}
          />
          Cancel the subscription now. What was paid is not refunded.
        </label>
      )}
    </>
  )
  return (
    <ConfirmDialog
      title="Delete account"
      phrase={email}
      action="Delete account"
      further={{ ...again, fields }}
      sending={deleting}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      <p>This cannot be undone. It deletes the account with:</p>
      <ul className="mt-2 list-disc pl-5">
        <li>every runtime, its keys and what it is doing: pages and agents are refused at once</li>
        <li>all projects, deployments, executions, analytics and webhooks</li>
        <li>every member, API key and session</li>
      </ul>
      <p className="mt-2">Records of payments are kept.</p>
    </ConfirmDialog>
  )
}
