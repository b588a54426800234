import type { ReactNode } from 'react'
import { TextField } from '../../ui/field.tsx'

interface CurrentPasswordFieldProps {
  value: string
  onChange: (password: string) => void
  hint?: ReactNode
}

/** The password that somebody has, at sign-in or given again. */
export function CurrentPasswordField({ value, onChange, hint }: CurrentPasswordFieldProps): ReactNode {
  return (
    <TextField
      label="Password"
      name="password"
      type="password"
      autoComplete="current-password"
      {...(hint !== undefined && { hint })}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
