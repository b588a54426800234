import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { projectsQuery } from '../../api/queries.ts'
import { SelectField, TextField } from '../../ui/field.tsx'

/** What a runtime is registered with. An empty endpoint is none; an empty project is the default one. */
export interface RuntimeFieldValues {
  name: string
  endpoint: string
  projectId: string
}

export const RUNTIME_FIELDS = ['name', 'endpoint', 'projectId']

interface RuntimeFieldsProps {
  values: RuntimeFieldValues
  endpointHint: string
  /** Hears of the fields that changed alone. */
  onChange: (change: Partial<RuntimeFieldValues>) => void
}

/** The fields of a runtime, for the form that makes one and the one that changes it. */
export function RuntimeFields({ values, endpointHint, onChange }: RuntimeFieldsProps): ReactNode {
  const { data: projects = [] } = useQuery(projectsQuery)
  const { name, endpoint, projectId } = values
  return (
    <>
      <TextField
        label="Name"
        name="name"
        placeholder="Shop"
        value={name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <TextField
        label="Endpoint"
        name="endpoint"
        type="url"
        placeholder="https://shop.example.com/svc"
        hint={endpointHint}
        value={endpoint}
        onChange={(event) => onChange({ endpoint: event.target.value })}
      />
      <SelectField
        label="Project"
        name="projectId"
        value={projectId}
        onChange={(event) => onChange({ projectId: event.target.value })}
      >
        {projectId === '' && <option value="">Default</option>}
        {projects
          .filter(({ isDefault }) => projectId !== '' || !isDefault)
          .map((project) => (
            <option key={project.projectId} value={project.projectId}>
              {project.name}
            </option>
          ))}
      </SelectField>
    </>
  )
}

/** The body of a registration: what is empty is left out, and stays as it is. */
export function registrationOf({ name, endpoint, projectId }: RuntimeFieldValues) {
  return { name, ...(endpoint !== '' && { endpoint }), ...(projectId !== '' && { projectId }) }
}
