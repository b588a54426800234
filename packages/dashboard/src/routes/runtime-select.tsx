import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runtimesQuery } from '../api/queries.ts'
import { SelectField } from '../ui/field.tsx'

/** Which runtime a screen shows: one of the chosen project, or all. What an address names is offered all the same. */
export function RuntimeSelect({
  value,
  onChange,
}: {
  value: string
  onChange: (runtimeId: string) => void
}): ReactNode {
  const { project } = useSearch({ from: '/app' })
  const { data: runtimes = [] } = useQuery(runtimesQuery())
  const offered = runtimes.filter(
    ({ runtimeId, projectId }) => project === undefined || projectId === project || runtimeId === value,
  )
  return (
    <SelectField label="Runtime" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">All</option>
      {offered.map(({ runtimeId, name }) => (
        <option key={runtimeId} value={runtimeId}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
