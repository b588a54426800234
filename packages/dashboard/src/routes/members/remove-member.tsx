import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { membersQuery } from '../../api/queries.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useGivenAgain } from '../account/given-again.tsx'
import { forgetCredentials } from '../runtimes/kept-credentials.ts'

interface RemoveMemberProps {
  member: Schemas['Member']
  onClose: () => void
}

/** Ends the membership of somebody, or one’s own. */
export function RemoveMember({ member: { memberId, email, role, isSelf }, onClose }: RemoveMemberProps): ReactNode {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const again = useGivenAgain()
  const asksAgain = role === 'owner' || isSelf
  const removing = useMutation({
    mutationFn: () =>
      isSelf
        ? bodyOf(api.POST('/v1/account/leave', { body: again.body }))
        : bodyOf(
            api.DELETE('/v1/account/members/{memberId}', {
              params: { path: { memberId } },
              body: asksAgain ? again.body : {},
            }),
          ),
    onSuccess: async () => {
      if (isSelf) {
        forgetCredentials()
        queryClient.clear()
        await navigate({ to: '/sign-in' })
        return
      }
      toast(`${email} was removed.`)
      await queryClient.invalidateQueries({ queryKey: membersQuery.queryKey })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={isSelf ? 'Leave the account' : 'Remove member'}
      phrase={email}
      action={isSelf ? 'Leave' : 'Remove member'}
      {...(asksAgain && { further: again })}
      sending={removing}
      onConfirm={() => removing.mutate()}
      onClose={onClose}
    >
      {isSelf ? 'You are' : `${email} is`} logged out everywhere at once, and keys of “svc login” stop working.
      Runtimes, deploy keys and the account’s own API keys stay.
    </ConfirmDialog>
  )
}
