import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { projectsQuery } from '../../api/queries.ts'
import { classNames } from '../../ui/class-names.ts'
import { SELECT, SELECT_MARK } from '../../ui/field.tsx'

/** Which project the screens show. The choice stands in the address, so that it can be shared and gone back from. */
export function ProjectSwitch(): ReactNode {
  const id = useId()
  const { project = '' } = useSearch({ from: '/app' })
  const { data } = useQuery(projectsQuery)
  const navigate = useNavigate()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block px-1 text-xs font-medium text-muted">
        Project
      </label>
      <span className="relative block">
        <select
          id={id}
          value={project}
          onChange={(event) => {
            const { value } = event.target
            // Named even where it is none: what is not named stays as it is.
            void navigate({ to: '.', search: (now) => ({ ...now, project: value === '' ? undefined : value }) })
          }}
          className={classNames(SELECT, 'w-full rounded-md border border-edge bg-surface px-2.5 text-sm')}
        >
          <option value="">All projects</option>
          {data?.map(({ projectId, name }) => (
            <option key={projectId} value={projectId}>
              {name}
            </option>
          ))}
        </select>
        <ChevronDown aria-hidden="true" className={SELECT_MARK} />
      </span>
    </div>
  )
}
