import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { accountQuery } from '../../api/queries.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Form } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { NeedsRole } from '../needs-role.tsx'
import { useMay } from '../role.ts'
import { FirstSteps } from './first-steps.tsx'
import { forgetCredentials, keepCredentials, keptCredentials } from './kept-credentials.ts'
import { RUNTIME_FIELDS, RuntimeFields, type RuntimeFieldValues, registrationOf } from './runtime-fields.tsx'

/** From a name to the first answer. */
export function NewRuntime(): ReactNode {
  const ownerId = useQuery(accountQuery).data?.ownerId
  const { change } = useMay()
  const [created, setCreated] = useState(() => keptCredentials(ownerId))
  if (created) {
    const onAnother = () => {
      forgetCredentials()
      setCreated(null)
    }
    return <FirstSteps created={created} onAnother={onAnother} />
  }
  const onCreated = (runtime: Schemas['CreatedRuntime']) => {
    if (ownerId !== undefined) keepCredentials(ownerId, runtime)
    setCreated(runtime)
  }
  return (
    <Page title="New runtime" description="A name, two keys and a signing secret. Your code runs on your own servers.">
      {change ? (
        <Card>
          <RuntimeForm onCreated={onCreated} />
        </Card>
      ) : (
        <NeedsRole />
      )}
    </Page>
  )
}

function RuntimeForm({ onCreated }: { onCreated: (runtime: Schemas['CreatedRuntime']) => void }): ReactNode {
  const { project = '' } = useSearch({ from: '/app' })
  const [values, setValues] = useState({ name: '', endpoint: '', projectId: project })
  const queryClient = useQueryClient()
  const creating = useMutation({
    gcTime: 0,
    mutationFn: () => register(values),
    onSuccess: (runtime) => {
      onCreated(runtime)
      void queryClient.invalidateQueries({ queryKey: ['runtimes'] })
    },
  })
  return (
    <Form
      className="max-w-lg"
      sending={creating}
      onSend={() => creating.mutate()}
      fields={RUNTIME_FIELDS}
      action="Create runtime"
      isFocused
      wayOn={(problem) =>
        /plan/i.test(problem) && (
          <div className="mt-3">
            <LinkButton to="/billing">View plans</LinkButton>
          </div>
        )
      }
    >
      <RuntimeFields
        values={values}
        endpointHint="Optional. Where capability calls are sent; a deployment can set it too. “svc dev” serves at http://127.0.0.1:8790/svc."
        onChange={(change) => setValues({ ...values, ...change })}
      />
    </Form>
  )
}

async function register(values: RuntimeFieldValues) {
  const runtime = await bodyOf(api.POST('/v1/runtimes', { body: registrationOf(values) }))
  // Without an id of ours it is always a new one.
  if (!('secret' in runtime)) throw new Error('an existing runtime was updated')
  return runtime
}
