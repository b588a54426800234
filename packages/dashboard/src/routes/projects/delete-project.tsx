import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { projectsQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.tsx'

interface DeleteProjectProps {
  project: Schemas['Project']
  onClose: () => void
}

/** An empty project goes; one with runtimes says what to do first. */
export function DeleteProject({ project, onClose }: DeleteProjectProps): ReactNode {
  const { projectId, name, runtimeCount } = project
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { project: chosen } = useSearch({ strict: false })
  const deleting = useMutation({
    mutationFn: () => {
      const params = { path: { projectId } }
      return bodyOf(api.DELETE('/v1/projects/{projectId}', { params, body: { confirm: name } }))
    },
    onSuccess: async () => {
      if (chosen === projectId) await navigate({ to: '/projects', search: {} })
      await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey })
      toast(`Project “${name}” deleted.`)
      onClose()
    },
  })
  if (runtimeCount > 0) {
    return (
      <Dialog title="Delete project" onClose={onClose}>
        <p className="text-sm">
          “{name}” has {runtimeCount === 1 ? '1 runtime' : `${runtimeCount} runtimes`}. Delete them first, or move each
          to another project in its settings.
        </p>
        <div className="flex justify-end">
          <Button onClick={onClose}>Close</Button>
        </div>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog
      title="Delete project"
      phrase={name}
      action="Delete project"
      sending={deleting}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      The project is removed from every list. This cannot be undone.
    </ConfirmDialog>
  )
}
