import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

interface RadioGroupProps<Value extends string> {
  /** The question, for screen readers alone. */
  label: string
  options: readonly (readonly [value: Value, name: string])[]
  value: Value
  onChange: (value: Value) => void
}

/** One of a few values, in a row that wraps. */
export function RadioGroup<Value extends string>({
  label,
  options,
  value,
  onChange,
}: RadioGroupProps<Value>): ReactNode {
  const id = useId()
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">{label}</legend>
      {options.map(([option, name]) => (
        <label
          key={option}
          className={classNames(
            'inline-flex h-8 cursor-pointer items-center rounded-full border px-3 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent',
            option === value
              ? 'border-accent bg-accent-soft text-accent'
              : 'border-line bg-surface text-muted hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={id}
            className="sr-only"
            checked={option === value}
            onChange={() => onChange(option)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}
