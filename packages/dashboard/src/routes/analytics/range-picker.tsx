import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { SelectField } from '../../ui/field.tsx'
import { RANGES, readAnalyticsSearch } from '../search.ts'
import { RANGE_LABELS } from './ranges.ts'

/** What the figures are of; the choice stands in the address. */
export function RangePicker({ runtimes }: { runtimes: readonly Schemas['RuntimeListItem'][] }): ReactNode {
  const { range = '7d', runtimeId = '' } = useSearch({ from: '/app/analytics' })
  const navigate = useNavigate({ from: '/analytics' })
  const change = (name: 'range' | 'runtimeId', value: string) => {
    void navigate({
      search: ({ project, ...now }) => ({
        ...(project !== undefined && { project }),
        ...readAnalyticsSearch({ ...now, [name]: value }),
      }),
    })
  }
  return (
    <div className="grid max-w-xl gap-3 sm:grid-cols-2">
      <SelectField label="Range" value={range} onChange={(event) => change('range', event.target.value)}>
        {RANGES.map((name) => (
          <option key={name} value={name}>
            {RANGE_LABELS[name]}
          </option>
        ))}
      </SelectField>
      <SelectField label="Runtime" value={runtimeId} onChange={(event) => change('runtimeId', event.target.value)}>
        <option value="">All</option>
        {runtimes.map((runtime) => (
          <option key={runtime.runtimeId} value={runtime.runtimeId}>
            {runtime.name}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
