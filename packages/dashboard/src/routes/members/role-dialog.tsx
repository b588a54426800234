import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { accountQuery } from '../../api/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useGivenAgain } from '../account/given-again.tsx'
import { roleName } from '../role.ts'
import { RoleField } from './role-field.tsx'

interface RoleDialogProps {
  member: Schemas['Member']
  onClose: () => void
}

/** Gives a member another role. */
export function RoleDialog({ member: { memberId, email, role: present }, onClose }: RoleDialogProps): ReactNode {
  const [role, setRole] = useState(present)
  const again = useGivenAgain()
  // The service asks for it where an owner is made or demoted.
  const asksAgain = role !== present && (role === 'owner' || present === 'owner')
  const queryClient = useQueryClient()
  const saving = useMutation({
    mutationFn: () => {
      const params = { path: { memberId } }
      return bodyOf(
        api.PATCH('/v1/account/members/{memberId}', { params, body: { role, ...(asksAgain && again.body) } }),
      )
    },
    onSuccess: async () => {
      toast(`${email} is ${roleName(role).toLowerCase()} now.`)
      // One’s own role may be another one, too.
      await queryClient.invalidateQueries({ queryKey: accountQuery.queryKey })
      onClose()
    },
  })
  return (
    <Dialog title={`Role of ${email}`} onClose={onClose}>
      <Form
        sending={saving}
        onSend={() => saving.mutate()}
        fields={['role', ...(asksAgain ? again.names : [])]}
        action="Change role"
        isBlocked={role === present || (asksAgain && again.isMissing)}
        onCancel={onClose}
      >
        <RoleField value={role} onChange={setRole} />
        {asksAgain && again.fields}
      </Form>
    </Dialog>
  )
}
