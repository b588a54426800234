import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { messageBeside, messagesFor } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { projectsQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'

interface ProjectDialogProps {
  /** Null: a new one. */
  project: Schemas['Project'] | null
  onClose: () => void
}

export function ProjectDialog({ project, onClose }: ProjectDialogProps): ReactNode {
  const [name, setName] = useState(project?.name ?? '')
  const [description, setDescription] = useState(project?.description ?? '')
  const queryClient = useQueryClient()
  const saving = useMutation({
    mutationFn: () => save(project, { name, description: description.trim() === '' ? null : description }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey })
      toast(project ? 'The project is changed.' : 'The project is there.')
      onClose()
    },
  })
  const problem = messageBeside(saving.error, ['name', 'description'])
  return (
    <Dialog title={project ? 'Rename the project' : 'New project'} onClose={onClose}>
      <form
        noValidate
        className="flex flex-col gap-4"
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
          label="Description"
          hint="For yourself; may stay empty."
          value={description}
          onChange={(event) => setDescription(event.target.value)}
          errors={messagesFor(saving.error, 'description')}
        />
        {problem !== null && <Notice kind="bad">{problem}</Notice>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={saving.isPending}>
            {project ? 'Save' : 'Make the project'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function save(project: Schemas['Project'] | null, body: { name: string; description: string | null }) {
  if (!project) return bodyOf(api.POST('/v1/projects', { body }))
  const params = { path: { projectId: project.projectId } }
  return bodyOf(api.PATCH('/v1/projects/{projectId}', { params, body }))
}
