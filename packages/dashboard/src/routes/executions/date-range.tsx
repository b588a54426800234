import { type ReactNode, useState } from 'react'
import { SelectField, TextField } from '../../ui/field.tsx'
import { dayBefore } from './day-range.ts'

interface DateRangeProps {
  /** Days, `2026-01-31`, both included. */
  from: string | undefined
  to: string | undefined
  onChange: (range: { from: string; to: string }) => void
}

const PRESETS = [
  ['any', 'Any time', null],
  ['today', 'Today', 0],
  ['week', 'Last 7 days', 6],
  ['month', 'Last 30 days', 29],
] as const

/** From which day to which: one of the usual ranges, or two days. */
export function DateRange({ from, to, onChange }: DateRangeProps): ReactNode {
  const [isCustom, setCustom] = useState(false)
  const known = PRESETS.find(([, , days]) => from === startOf(days) && to === undefined)?.[0]
  const choose = (name: string) => {
    setCustom(name === 'custom')
    const [, , days = null] = PRESETS.find(([preset]) => preset === name) ?? []
    if (name !== 'custom') onChange({ from: startOf(days) ?? '', to: '' })
  }
  const shown = isCustom || known === undefined ? 'custom' : known
  return (
    <>
      <SelectField label="Time" value={shown} onChange={(event) => choose(event.target.value)}>
        {PRESETS.map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
        <option value="custom">Custom…</option>
      </SelectField>
      {shown === 'custom' && (
        <>
          <TextField
            label="From"
            type="date"
            value={from ?? ''}
            max={to}
            onChange={(event) => onChange({ from: event.target.value, to: to ?? '' })}
          />
          <TextField
            label="To"
            type="date"
            value={to ?? ''}
            min={from}
            onChange={(event) => onChange({ from: from ?? '', to: event.target.value })}
          />
        </>
      )}
    </>
  )
}

function startOf(days: number | null): string | undefined {
  return days === null ? undefined : dayBefore(days)
}
