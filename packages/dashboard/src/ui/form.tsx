import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react'
import { messageBeside, messagesFor } from '../api/api-error.ts'
import { Button, type ButtonKind } from './button.tsx'
import { classNames } from './class-names.ts'
import { Notice } from './notice.tsx'
import { RetryIn } from './retry-in.tsx'
import { useOnce } from './use-once.ts'

const FormFault = createContext<unknown>(null)

/** A request that a form makes. */
export interface Sending {
  error: unknown
  isPending: boolean
}

interface FormProps {
  sending: Sending
  onSend: () => void
  /** The names of its fields. What the service says of anything else stands above the buttons. */
  fields: readonly string[]
  /** What its button says. */
  action: string
  actionKind?: ButtonKind
  /** Whether something is still missing before it may be sent. */
  isBlocked?: boolean
  /** Whether the button is as wide as the fields. */
  isWide?: boolean
  /** A way on from a problem that is no field’s. */
  wayOn?: (problem: string) => ReactNode
  /** Where it can be left: a second button. */
  onCancel?: () => void
  /** Whether it is what a screen is for: its first field has the focus. */
  isFocused?: boolean
  className?: string
  children: ReactNode
}

/** Fields, what the service says of them, and a button. Each field finds its messages by its name. */
export function Form(props: FormProps): ReactNode {
  const { sending, onSend, fields, action, actionKind = 'primary', isBlocked = false } = props
  const { isWide, wayOn, onCancel, isFocused = false, className, children } = props
  const form = useRef<HTMLFormElement>(null)
  const once = useOnce(sending.isPending)
  useEffect(() => {
    if (isFocused) form.current?.querySelector<HTMLInputElement>('input:not([readonly])')?.focus()
  }, [isFocused])
  const problem = messageBeside(sending.error, fields)
  return (
    <form
      ref={form}
      noValidate
      className={classNames('flex flex-col gap-4', className)}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBlocked) once(onSend)
      }}
    >
      <FormFault value={sending.error}>{children}</FormFault>
      {problem !== null && (
        <Notice kind="bad">
          <p>{problem}</p>
          {wayOn?.(problem)}
        </Notice>
      )}
      <RetryIn error={sending.error} />
      <div className={classNames('flex gap-2', isWide && 'flex-col', onCancel && 'justify-end')}>
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind={actionKind} type="submit" disabled={isBlocked} isBusy={sending.isPending}>
          {action}
        </Button>
      </div>
    </form>
  )
}

/** What the service said of a field of the form around it. */
export function useFieldErrors(name: string | undefined): readonly string[] {
  const fault = useContext(FormFault)
  return name === undefined ? [] : messagesFor(fault, name)
}
