import { ChevronDown } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import { useFieldErrors } from './form.tsx'

const CONTROL =
  'w-full rounded-md border bg-surface px-3 text-sm text-ink placeholder:text-muted disabled:bg-subtle disabled:text-muted'

/** A list of choices that looks the same in every browser; it opens as the system has it. */
export const SELECT = 'h-9 appearance-none truncate pr-8'
export const SELECT_MARK = 'pointer-events-none absolute top-2.5 right-2.5 size-4 text-muted'

interface FieldProps {
  label: string
  hint?: ReactNode
  /** Where its place and its placeholder say it to those who see them. */
  isLabelHidden?: boolean | undefined
  /** As the API calls it: by this name it finds its messages in the form around it. */
  name?: string
  /** The server’s own messages, where no form around it has them. */
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
  isLabelHidden = false,
  name,
  errors: given,
  children,
}: FieldProps & { children: (control: Described) => ReactNode }): ReactNode {
  const id = useId()
  const found = useFieldErrors(name)
  const errors = given ?? found
  const isWrong = errors.length > 0
  const described = [hint !== undefined && `${id}-hint`, isWrong && `${id}-errors`].filter(Boolean).join(' ')
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-sm font-medium'}>
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

export function TextField(props: FieldProps & ComponentProps<'input'>): ReactNode {
  const { label, isLabelHidden, hint, errors, name, ...rest } = props
  return (
    <Field label={label} isLabelHidden={isLabelHidden} {...given({ hint, errors, name })}>
      {({ className, ...control }) => (
        <input {...rest} {...control} name={name} className={classNames(className, 'h-9')} />
      )}
    </Field>
  )
}

export function TextArea({ label, hint, errors, name, ...rest }: FieldProps & ComponentProps<'textarea'>): ReactNode {
  return (
    <Field label={label} {...given({ hint, errors, name })}>
      {({ className, ...control }) => (
        <textarea
          {...rest}
          {...control}
          name={name}
          className={classNames(className, 'py-2 font-mono leading-relaxed')}
        />
      )}
    </Field>
  )
}

export function SelectField({ label, hint, errors, name, ...rest }: FieldProps & ComponentProps<'select'>): ReactNode {
  return (
    <Field label={label} {...given({ hint, errors, name })}>
      {({ className, ...control }) => (
        <span className="relative block">
          <select {...rest} {...control} name={name} className={classNames(className, SELECT)} />
          <ChevronDown aria-hidden="true" className={SELECT_MARK} />
        </span>
      )}
    </Field>
  )
}

interface Given {
  hint: ReactNode
  errors: readonly string[] | undefined
  name: string | undefined
}

function given({ hint, errors, name }: Given): Omit<FieldProps, 'label'> {
  return {
    ...(hint !== undefined && { hint }),
    ...(errors !== undefined && { errors }),
    ...(name !== undefined && { name }),
  }
}

// The server speaks of a field as the subject of its sentence: “must have 10 to 128 characters.”
function sentence(label: string, message: string): string {
  return /^[a-z]/.test(message) ? `${label} ${message}` : message
}
