import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { Card } from '../../ui/card.tsx'
import { Form } from '../../ui/form.tsx'
import { toast } from '../../ui/toasts.tsx'
import { RUNTIME_FIELDS, RuntimeFields, registrationOf } from './runtime-fields.tsx'

/** Registering an id again updates its runtime: that is how name, endpoint and project are changed. */
export function SettingsForm({ runtime }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { runtimeId, name, endpoint, projectId } = runtime
  const [values, setValues] = useState({ name, endpoint: endpoint ?? '', projectId })
  const queryClient = useQueryClient()
  const saving = useMutation({
    mutationFn: () => bodyOf(api.POST('/v1/runtimes', { body: { runtimeId, ...registrationOf(values) } })),
    onSuccess: async () => {
      toast('Saved.')
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['runtime', runtimeId] }),
        queryClient.invalidateQueries({ queryKey: ['runtimes'] }),
      ])
    },
  })
  return (
    <Card title="Settings">
      <Form
        className="max-w-lg"
        sending={saving}
        onSend={() => saving.mutate()}
        fields={RUNTIME_FIELDS}
        action="Save"
        actionKind="secondary"
      >
        <RuntimeFields values={values} endpointHint="A deployment that names one replaces it." onChange={setValues} />
      </Form>
    </Card>
  )
}
