import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { projectsQuery } from '../../api/queries.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
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
      toast(project ? 'Project saved.' : 'Project created.')
      onClose()
    },
  })
  return (
    <Dialog title={project ? 'Edit project' : 'New project'} onClose={onClose}>
      <Form
        sending={saving}
        onSend={() => saving.mutate()}
        fields={['name', 'description']}
        action={project ? 'Save' : 'Create project'}
        onCancel={onClose}
      >
        <TextField label="Name" name="name" value={name} onChange={(event) => setName(event.target.value)} />
        <TextField
          label="Description"
          name="description"
          hint="Optional."
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Form>
    </Dialog>
  )
}

function save(project: Schemas['Project'] | null, body: { name: string; description: string | null }) {
  if (!project) return bodyOf(api.POST('/v1/projects', { body }))
  const params = { path: { projectId: project.projectId } }
  return bodyOf(api.PATCH('/v1/projects/{projectId}', { params, body }))
}
