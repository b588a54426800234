import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

const CONTROL =
  'w-full rounded-md border bg-surface px-3 text-sm text-ink placeholder:text-muted disabled:bg-subtle disabled:text-muted'

interface FieldProps {
  label: string
  hint?: ReactNode
  /** The server’s own messages for this field. */
  errors?: readonly string[]
}

interface Described {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean
  className: string
}

/** A label, its control, what helps, and what is wrong: tied together for screen readers. */
export function Field({
  label,
  hint,
  errors = [],
  children,
}: FieldProps & { children: (control: Described) => ReactNode }): ReactNode {
  const id = useId()
  const isWrong = errors.length > 0
  const described = [hint !== undefined && `${id}-hint`, isWrong && `${id}-errors`].filter(Boolean).join(' ')
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': isWrong,
        className: classNames(CONTROL, isWrong ? 'border-bad' : 'border-edge'),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-muted">
          {hint}
        </p>
      )}
      {isWrong && (
        <ul id={`${id}-errors`} className="text-sm text-bad">
          {errors.map((message) => (
            <li key={message}>{sentence(label, message)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

export function TextField({ label, hint, errors, ...rest }: FieldProps & ComponentProps<'input'>): ReactNode {
  return (
    <Field label={label} {...given({ hint, errors })}>
      {({ className, ...control }) => <input {...rest} {...control} className={classNames(className, 'h-9')} />}
    </Field>
  )
}

export function TextArea({ label, hint, errors, ...rest }: FieldProps & ComponentProps<'textarea'>): ReactNode {
  return (
    <Field label={label} {...given({ hint, errors })}>
      {({ className, ...control }) => (
        <textarea {...rest} {...control} className={classNames(className, 'py-2 font-mono leading-relaxed')} />
      )}
    </Field>
  )
}

export function SelectField({ label, hint, errors, ...rest }: FieldProps & ComponentProps<'select'>): ReactNode {
  return (
    <Field label={label} {...given({ hint, errors })}>
      {({ className, ...control }) => <select {...rest} {...control} className={classNames(className, 'h-9')} />}
    </Field>
  )
}

function given({ hint, errors }: { hint: ReactNode; errors: readonly string[] | undefined }) {
  return { ...(hint !== undefined && { hint }), ...(errors !== undefined && { errors }) }
}

// The server speaks of a field as the subject of its sentence: “must have 10 to 128 characters.”
function sentence(label: string, message: string): string {
  return /^[a-z]/.test(message) ? `${label} ${message}` : message
}
