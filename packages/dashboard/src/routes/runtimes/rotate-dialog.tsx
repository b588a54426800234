import { type ReactNode, useState } from 'react'
import { messageBeside } from '../../api/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'

export const GRACES = [
  [86_400, '24 hours'],
  [3_600, 'an hour'],
  [604_800, '7 days'],
  [0, 'no time: it has leaked'],
] as const

interface RotateDialogProps {
  title: string
  isBusy: boolean
  error: unknown
  onRotate: (graceSeconds: number) => void
  onClose: () => void
}

/** A new key in place of one that goes on working for a while. */
export function RotateDialog({ title, isBusy, error, onRotate, onClose }: RotateDialogProps): ReactNode {
  const [grace, setGrace] = useState<number>(GRACES[0][0])
  const problem = messageBeside(error, [])
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          onRotate(grace)
        }}
      >
        <GraceField value={grace} onChange={setGrace} />
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            Rotate
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

export function GraceField({ value, onChange }: { value: number; onChange: (seconds: number) => void }): ReactNode {
  return (
    <SelectField
      label="The previous one works on for"
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {GRACES.map(([seconds, words]) => (
        <option key={seconds} value={seconds}>
          {words}
        </option>
      ))}
    </SelectField>
  )
}
