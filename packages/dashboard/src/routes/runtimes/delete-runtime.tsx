import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DangerZone } from '../../ui/danger-zone.tsx'
import { toast } from '../../ui/toasts.tsx'

/** The end of a runtime, and what it takes along. */
export function DeleteRuntime({ runtime }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { runtimeId, name } = runtime
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const deleting = useMutation({
    mutationFn: () => {
      const params = { path: { runtimeId } }
      return bodyOf(api.DELETE('/v1/runtimes/{runtimeId}', { params, body: { confirm: name } }))
    },
    onSuccess: async () => {
      // First: this screen would ask for the runtime once more.
      await navigate({ to: '/' })
      queryClient.removeQueries({ queryKey: ['runtime', runtimeId] })
      void queryClient.invalidateQueries()
      toast(`Runtime “${name}” deleted.`)
    },
  })
  return (
    <DangerZone
      action="Delete runtime"
      dialog={(close) => (
        <ConfirmDialog
          title="Delete runtime"
          phrase={name}
          action="Delete runtime"
          sending={deleting}
          onConfirm={() => deleting.mutate()}
          onClose={close}
        >
          <p>This cannot be undone. It deletes “{name}” with:</p>
          <ul className="mt-2 list-disc pl-5">
            <li>its keys and signing secret: pages and agents are refused at once</li>
            <li>executions under way, which are stopped</li>
            <li>all deployments, executions, traces, approvals and analytics</li>
          </ul>
          <p className="mt-2">
            The id <code className="[overflow-wrap:anywhere]">{runtimeId}</code> cannot be used again.
          </p>
        </ConfirmDialog>
      )}
    >
      Deletes the runtime with its keys, deployments, executions and analytics.
    </DangerZone>
  )
}
