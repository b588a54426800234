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
  sending: Sending
  onConfirm: () => void
  onClose: () => void
}

/** The last question before something that cannot be taken back: whoever goes on has typed what they are about to end. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, children, phrase, action, sending, onConfirm, onClose } = props
  const [typed, setTyped] = useState('')
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        sending={sending}
        onSend={onConfirm}
        fields={[]}
        action={action}
        actionKind="danger"
        isBlocked={typed !== phrase}
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
      </Form>
    </Dialog>
  )
}
