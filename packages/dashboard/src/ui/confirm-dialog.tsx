import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Form, type Sending } from './form.tsx'

interface ConfirmDialogProps {
  title: string
  /** What will happen. */
  children: ReactNode
  /** What must be typed before the button works. */
  phrase: string
  action: string
  /** Further fields, with the names under which the service speaks of them. */
  further?: { names: readonly string[]; fields: ReactNode; isMissing: boolean }
  sending: Sending
  onConfirm: () => void
  onClose: () => void
}

/** The confirmation of an irreversible action: the user types the name of the thing that it ends. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, children, phrase, action, further, sending, onConfirm, onClose } = props
  const [typed, setTyped] = useState('')
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        sending={sending}
        onSend={onConfirm}
        fields={further?.names ?? []}
        action={action}
        actionKind="danger"
        isBlocked={typed !== phrase || further?.isMissing === true}
        onCancel={onClose}
      >
        <div className="text-sm text-muted">{children}</div>
        <TextField
          label={`Type ${phrase} to confirm`}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
        />
        {further?.fields}
      </Form>
    </Dialog>
  )
}
