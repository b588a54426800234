import { type ReactNode, useEffect, useRef } from 'react'
import { TextField } from '../../ui/field.tsx'

interface CodeFieldProps {
  value: string
  onChange: (code: string) => void
  /** Whether a recovery code does, too. */
  takesRecoveryCode?: boolean
  /** Where there is nothing else to do when it appears. */
  takesFocus?: boolean
  /** In place of what the form around it has heard. */
  errors?: readonly string[]
}

/** A code of the owner’s app. */
export function CodeField({ value, onChange, takesRecoveryCode, takesFocus, ...rest }: CodeFieldProps): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (takesFocus) input.current?.focus()
  }, [takesFocus])
  return (
    <TextField
      {...rest}
      hint={takesRecoveryCode ? 'Six digits from your app, or a recovery code.' : 'Six digits.'}
      ref={input}
      label="Code"
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="characters"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
