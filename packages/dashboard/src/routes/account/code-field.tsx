import { type ReactNode, useEffect, useRef } from 'react'
import { TextField } from '../../ui/field.tsx'

interface CodeFieldProps {
  value: string
  onChange: (code: string) => void
  hint?: string
  /** In place of what the form around it has heard. */
  errors?: readonly string[]
}

/** A code of the owner’s app. It takes the focus when it appears: then there is nothing else to do. */
export function CodeField({ value, onChange, ...rest }: CodeFieldProps): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <TextField
      {...rest}
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
