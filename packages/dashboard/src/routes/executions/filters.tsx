import { useNavigate, useSearch } from '@tanstack/react-router'
import { ListFilter } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { SelectField } from '../../ui/field.tsx'
import { RuntimeSelect } from '../runtime-select.tsx'
import { type ExecutionsSearch, readExecutionsSearch } from '../search.ts'
import { DateRange } from './date-range.tsx'

/** What the list leaves out. Each choice changes the address, which can be shared and gone back from. */
export function Filters(): ReactNode {
  const search = useSearch({ from: '/app/session/executions' })
  const navigate = useNavigate({ from: '/executions' })
  const change = (changes: { [Name in keyof ExecutionsSearch]?: string }) => {
    void navigate({ search: (now) => readExecutionsSearch({ ...now, ...changes }) })
  }
  const chosen = Object.keys(readExecutionsSearch({ ...search })).length
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <Button className="sm:hidden" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <ListFilter aria-hidden="true" className="size-4" />
        {chosen === 0 ? 'Filters' : `Filters (${chosen})`}
      </Button>
      <form
        id={id}
        aria-label="Filters"
        className={classNames(
          'flex flex-wrap items-end gap-3 *:min-w-36 *:flex-1 sm:*:max-w-56',
          !isOpen && 'max-sm:hidden',
        )}
      >
        <SelectField
          label="Status"
          value={search.status ?? ''}
          onChange={(event) => change({ status: event.target.value })}
        >
          <option value="">Any</option>
          <option value="running">Running</option>
          <option value="completed">Completed</option>
          <option value="failed">Failed</option>
        </SelectField>
        <SelectField
          label="Calls"
          value={search.calls ?? ''}
          onChange={(event) => change({ calls: event.target.value })}
        >
          <option value="">Any</option>
          <option value="failed">With a failed call</option>
          <option value="unknown">With an unknown call</option>
        </SelectField>
        <SelectField
          label="Feedback"
          value={search.feedback ?? ''}
          onChange={(event) => change({ feedback: event.target.value })}
        >
          <option value="">Any</option>
          <option value="up">Thumbs up</option>
          <option value="down">Thumbs down</option>
        </SelectField>
        <RuntimeSelect value={search.runtimeId ?? ''} onChange={(runtimeId) => change({ runtimeId })} />
        <DateRange from={search.from} to={search.to} onChange={change} />
        {chosen > 0 && (
          <Button kind="ghost" onClick={() => void navigate({ search: {} })}>
            Clear
          </Button>
        )}
      </form>
    </>
  )
}
