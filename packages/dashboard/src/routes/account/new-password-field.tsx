import type { ReactNode } from 'react'
import { TextField } from '../../ui/field.tsx'

interface NewPasswordFieldProps {
  value: string
  onChange: (password: string) => void
  label?: string
  /** As the API calls it. */
  name?: string
  /** What else there is to know. */
  note?: string
}

/** A password that somebody chooses. */
export function NewPasswordField({
  value,
  onChange,
  label = 'Password',
  name = 'password',
  note,
}: NewPasswordFieldProps): ReactNode {
  return (
    <TextField
      label={label}
      name={name}
      type="password"
      autoComplete="new-password"
      hint={['10 characters or more.', note].filter(Boolean).join(' ')}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
