import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { SelectField } from '../../ui/field.tsx'
import { RuntimeSelect } from '../runtime-select.tsx'
import { RANGES, readAnalyticsSearch } from '../search.ts'
import { RANGE_LABELS } from './ranges.ts'

/** What the figures are of; the choice stands in the address. */
export function RangePicker(): ReactNode {
  const { range = '7d', runtimeId = '' } = useSearch({ from: '/app/session/analytics' })
  const navigate = useNavigate({ from: '/analytics' })
  const change = (name: 'range' | 'runtimeId', value: string) => {
    void navigate({ search: (now) => readAnalyticsSearch({ ...now, [name]: value }) })
  }
  return (
    <div className="flex flex-wrap gap-3 *:w-44">
      <SelectField label="Range" value={range} onChange={(event) => change('range', event.target.value)}>
        {RANGES.map((name) => (
          <option key={name} value={name}>
            {RANGE_LABELS[name]}
          </option>
        ))}
      </SelectField>
      <RuntimeSelect value={runtimeId} onChange={(value) => change('runtimeId', value)} />
    </div>
  )
}
