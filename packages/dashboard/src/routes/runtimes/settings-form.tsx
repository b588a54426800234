import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageBeside, messagesFor } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { projectsQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'

const FIELDS = ['name', 'endpoint', 'projectId']

/** Registering an id again updates its runtime: that is how name, endpoint and project are changed. */
export function SettingsForm({ runtime }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { runtimeId } = runtime
  const [name, setName] = useState(runtime.name)
  const [endpoint, setEndpoint] = useState(runtime.endpoint ?? '')
  const [projectId, setProject] = useState(runtime.projectId)
  const { data } = useQuery(projectsQuery)
  const queryClient = useQueryClient()
  const saving = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/v1/runtimes', { body: { runtimeId, name, projectId, ...(endpoint !== '' && { endpoint }) } })),
    onSuccess: async () => {
      toast('Saved.')
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['runtime', runtimeId] }),
        queryClient.invalidateQueries({ queryKey: ['runtimes'] }),
      ])
    },
  })
  const problem = messageBeside(saving.error, FIELDS)
  return (
    <Card title="Settings">
      <form
        noValidate
        className="flex max-w-lg flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          saving.mutate()
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          errors={messagesFor(saving.error, 'name')}
        />
        <TextField
          label="Endpoint"
          type="url"
          hint="A deployment that names one replaces it."
          value={endpoint}
          onChange={(event) => setEndpoint(event.target.value)}
          errors={messagesFor(saving.error, 'endpoint')}
        />
        <SelectField
          label="Project"
          value={projectId}
          onChange={(event) => setProject(event.target.value)}
          errors={messagesFor(saving.error, 'projectId')}
        >
          {data?.map((project) => (
            <option key={project.projectId} value={project.projectId}>
              {project.name}
            </option>
          ))}
        </SelectField>
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        <div>
          <Button type="submit" isBusy={saving.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}
