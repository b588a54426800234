import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { messageBeside, messagesFor } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { projectsQuery } from '../../api/queries.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { FirstSteps } from './first-steps.tsx'

/** From a name to the first answer. The keys live in this screen alone: whoever leaves it finds them under “Keys”. */
export function NewRuntime(): ReactNode {
  const [created, setCreated] = useState<Schemas['CreatedRuntime'] | null>(null)
  if (created) return <FirstSteps created={created} />
  return (
    <Page
      title="New runtime"
      description="A record with a name, two keys and a signing secret. Your code runs where you run it."
    >
      <Card>
        <RuntimeForm onCreated={setCreated} />
      </Card>
    </Page>
  )
}

const FIELDS = ['name', 'endpoint', 'projectId']

function RuntimeForm({ onCreated }: { onCreated: (runtime: Schemas['CreatedRuntime']) => void }): ReactNode {
  const { project = '' } = useSearch({ from: '/app' })
  const [name, setName] = useState('')
  const [endpoint, setEndpoint] = useState('')
  const [projectId, setProject] = useState(project)
  const { data } = useQuery(projectsQuery)
  const queryClient = useQueryClient()
  const creating = useMutation({
    mutationFn: () => register({ name, endpoint, projectId }),
    onSuccess: async (runtime) => {
      onCreated(runtime)
      await queryClient.invalidateQueries({ queryKey: ['runtimes'] })
    },
  })
  const problem = messageBeside(creating.error, FIELDS)
  return (
    <form
      noValidate
      className="flex max-w-lg flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        creating.mutate()
      }}
    >
      <TextField
        label="Name"
        placeholder="Shop"
        value={name}
        onChange={(event) => setName(event.target.value)}
        errors={messagesFor(creating.error, 'name')}
      />
      <TextField
        label="Endpoint"
        type="url"
        placeholder="https://shop.example.com/svc"
        hint="Where capability calls are sent. May stay empty: a deployment can bring it along."
        value={endpoint}
        onChange={(event) => setEndpoint(event.target.value)}
        errors={messagesFor(creating.error, 'endpoint')}
      />
      <SelectField
        label="Project"
        value={projectId}
        onChange={(event) => setProject(event.target.value)}
        errors={messagesFor(creating.error, 'projectId')}
      >
        <option value="">Default</option>
        {data
          ?.filter(({ isDefault }) => !isDefault)
          .map((one) => (
            <option key={one.projectId} value={one.projectId}>
              {one.name}
            </option>
          ))}
      </SelectField>
      {problem !== null && (
        <Notice kind="bad">
          <p>{problem}</p>
          {/plan/i.test(problem) && (
            <div className="mt-3">
              <LinkButton to="/billing">See the plans</LinkButton>
            </div>
          )}
        </Notice>
      )}
      <div>
        <Button kind="primary" type="submit" isBusy={creating.isPending}>
          Make the runtime
        </Button>
      </div>
    </form>
  )
}

async function register(fields: { name: string; endpoint: string; projectId: string }) {
  const { name, endpoint, projectId } = fields
  const body = { name, ...(endpoint !== '' && { endpoint }), ...(projectId !== '' && { projectId }) }
  const runtime = await bodyOf(api.POST('/v1/runtimes', { body }))
  // Without an id of ours it is always a new one.
  if (!('secret' in runtime)) throw new Error('an existing runtime was updated')
  return runtime
}
