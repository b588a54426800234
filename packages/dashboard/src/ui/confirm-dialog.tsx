import { type ReactNode, useState } from 'react'
import { messageBeside } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Notice } from './notice.tsx'

interface ConfirmDialogProps {
  title: string
  /** What will happen. */
  children: ReactNode
  /** What must be typed before the button works. */
  phrase: string
  action: string
  isBusy: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
}

/** The last question before something that cannot be taken back: whoever goes on has typed what they are about to end. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { title, children, phrase, action, isBusy, error, onConfirm, onClose } = props
  const [typed, setTyped] = useState('')
  const problem = messageBeside(error, [])
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed === phrase) onConfirm()
        }}
      >
        <div className="text-sm text-muted">{children}</div>
        <TextField
          label={`Type ${phrase} to confirm`}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
        />
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" disabled={typed !== phrase} isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
