import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { RuntimeSelect } from '../runtime-select.tsx'
import { type ExecutionsSearch, readExecutionsSearch } from '../search.ts'

/** What the list leaves out. Each choice changes the address, which can be shared and gone back from. */
export function Filters(): ReactNode {
  const search = useSearch({ from: '/app/executions' })
  const navigate = useNavigate({ from: '/executions' })
  const change = (name: keyof ExecutionsSearch, value: string) => {
    void navigate({ search: (now) => readExecutionsSearch({ ...now, [name]: value }) })
  }
  const isFiltered = Object.keys(readExecutionsSearch({ ...search })).length > 0
  return (
    <form aria-label="Filters" className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[1fr_1fr_1.4fr_1fr_1fr_5rem]">
      <SelectField
        label="Status"
        value={search.status ?? ''}
        onChange={(event) => change('status', event.target.value)}
      >
        <option value="">Any</option>
        <option value="running">Running</option>
        <option value="completed">Completed</option>
        <option value="failed">Failed</option>
      </SelectField>
      <SelectField label="Calls" value={search.calls ?? ''} onChange={(event) => change('calls', event.target.value)}>
        <option value="">Any</option>
        <option value="failed">With a failed call</option>
        <option value="unknown">With an unknown call</option>
      </SelectField>
      <RuntimeSelect value={search.runtimeId ?? ''} onChange={(runtimeId) => change('runtimeId', runtimeId)} />
      <TextField
        label="From"
        type="date"
        value={search.from ?? ''}
        max={search.to}
        onChange={(event) => change('from', event.target.value)}
      />
      <TextField
        label="To"
        type="date"
        value={search.to ?? ''}
        min={search.from}
        onChange={(event) => change('to', event.target.value)}
      />
      {isFiltered && (
        <Button kind="ghost" onClick={() => void navigate({ search: {} })}>
          Clear
        </Button>
      )}
    </form>
  )
}
