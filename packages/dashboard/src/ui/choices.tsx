import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'

interface ChoicesProps<Value extends string> {
  /** What is chosen, for those who do not see what changes. */
  label: string
  options: readonly (readonly [value: Value, name: string])[]
  value: Value
  onChange: (value: Value) => void
}

/** One of a few, in a row that wraps: what stands below it changes at once. */
export function Choices<Value extends string>({ label, options, value, onChange }: ChoicesProps<Value>): ReactNode {
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
