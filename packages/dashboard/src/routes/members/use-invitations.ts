import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { invitationsQuery } from '../../api/queries.ts'

export type Invite = Schemas['InviteRequest']

/** Inviting somebody, and revoking an invitation. */
export function useInvitations() {
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
