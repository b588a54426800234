import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { runtimeQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/toasts.tsx'
import { RUNTIME_FIELDS, RuntimeFields, type RuntimeFieldValues, registrationOf } from './runtime-fields.tsx'

type Edits = Partial<RuntimeFieldValues>

interface Save {
  saved: ReturnType<typeof registrationOf>
  typed: Edits
}

/** Registering an id again updates its runtime: that is how name, endpoint and project are changed. */
export function SettingsForm({ runtime }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { runtimeId, name, endpoint, projectId } = runtime
  // Only the typed fields: the rest follows the runtime, which a deployment may change meanwhile.
  const [edits, setEdits] = useState<Edits>({})
  const values = { name, endpoint: endpoint ?? '', projectId, ...edits }
  // Left out it would stay, and “Saved.” would be untrue: so the service says what it has against none.
  const emptied = endpoint !== null && values.endpoint === '' ? { endpoint: '' } : {}
  const queryClient = useQueryClient()
  const saving = useMutation({
    mutationFn: ({ saved }: Save) => bodyOf(api.POST('/v1/runtimes', { body: { runtimeId, ...saved } })),
    onSuccess: (_, { saved, typed }) => {
      toast('Saved.')
      // The saved values are shown without another request, which may fail; text typed meanwhile stays.
      queryClient.setQueryData(runtimeQuery(runtimeId).queryKey, (known) => known && { ...known, ...saved })
      setEdits((now) => (now === typed ? {} : now))
      void queryClient.invalidateQueries({ queryKey: ['runtime', runtimeId] })
      void queryClient.invalidateQueries({ queryKey: ['runtimes'] })
    },
  })
  return (
    <Card title="Settings">
      <Form
        className="max-w-lg"
        sending={saving}
        onSend={() => saving.mutate({ saved: { ...registrationOf(values), ...emptied }, typed: edits })}
        fields={RUNTIME_FIELDS}
        action="Save"
      >
        <RuntimeFields
          values={values}
          endpointHint="Where capability calls are sent. It can be changed, but not removed. A deployment that names an endpoint replaces it."
          onChange={(change) => setEdits({ ...edits, ...change })}
        />
      </Form>
    </Card>
  )
}
