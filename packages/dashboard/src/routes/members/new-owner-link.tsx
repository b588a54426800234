import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { useGivenAgain } from '../account/given-again.tsx'
import type { Invite } from './use-invitations.ts'

interface NewOwnerLinkProps {
  email: string
  send: (invite: Invite) => Promise<unknown>
  onClose: () => void
}

/** A new link for somebody who is invited as an owner, which the session alone may not make. */
export function NewOwnerLink({ email, send, onClose }: NewOwnerLinkProps): ReactNode {
  const again = useGivenAgain()
  const sending = useMutation({
    gcTime: 0,
    mutationFn: () => send({ email, role: 'owner', ...again.body }),
    onSuccess: onClose,
  })
  return (
    <Dialog title={`New link for ${email}`} onClose={onClose}>
      <Form
        sending={sending}
        onSend={() => sending.mutate()}
        fields={again.names}
        action="New link"
        isBlocked={again.isMissing}
        onCancel={onClose}
      >
        {again.fields}
      </Form>
    </Dialog>
  )
}
