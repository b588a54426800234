import { type ReactNode, useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Form, type Sending } from '../../ui/form.tsx'

export const GRACES = [
  [86_400, '24 hours'],
  [3_600, '1 hour'],
  [604_800, '7 days'],
  [0, 'Revoke at once, it has leaked'],
] as const

interface RotateDialogProps {
  title: string
  rotating: Sending
  onRotate: (graceSeconds: number) => void
  onClose: () => void
}

/** A new key in place of one that goes on working for a while. */
export function RotateDialog({ title, rotating, onRotate, onClose }: RotateDialogProps): ReactNode {
  const [grace, setGrace] = useState<number>(GRACES[0][0])
  return (
    <Dialog title={title} onClose={onClose}>
      <Form sending={rotating} onSend={() => onRotate(grace)} fields={[]} action="Rotate" onCancel={onClose}>
        <GraceField value={grace} onChange={setGrace} />
      </Form>
    </Dialog>
  )
}

export function GraceField({ value, onChange }: { value: number; onChange: (seconds: number) => void }): ReactNode {
  return (
    <SelectField
      label="Keep the previous one valid for"
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
