import type { ReactNode } from 'react'
import { TextField } from '../../ui/field.tsx'

interface CurrentPasswordFieldProps {
  value: string
  onChange: (password: string) => void
}

/** The password that somebody has, at sign-in or given again. */
export function CurrentPasswordField({ value, onChange }: CurrentPasswordFieldProps): ReactNode {
  return (
    <TextField
      label="Password"
      name="password"
      type="password"
      autoComplete="current-password"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
