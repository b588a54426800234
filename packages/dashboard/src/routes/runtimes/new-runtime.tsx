import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Form } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { FirstSteps } from './first-steps.tsx'
import { RUNTIME_FIELDS, RuntimeFields, type RuntimeFieldValues, registrationOf } from './runtime-fields.tsx'

/** From a name to the first answer. The keys live in this screen alone; later they stand under “Keys”. */
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
      action="Make the runtime"
      wayOn={(problem) =>
        /plan/i.test(problem) && (
          <div className="mt-3">
            <LinkButton to="/billing">See the plans</LinkButton>
          </div>
        )
      }
    >
      <RuntimeFields
        values={values}
        endpointHint="Where capability calls are sent. On the machine of this service “svc dev” answers at http://127.0.0.1:8790/svc. May stay empty: a deployment can bring it along."
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
