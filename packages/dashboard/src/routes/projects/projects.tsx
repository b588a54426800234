import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { projectsQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useMay } from '../role.ts'
import { DeleteProject } from './delete-project.tsx'
import { ProjectDialog } from './project-dialog.tsx'

type Project = Schemas['Project']

export function Projects(): ReactNode {
  const { data, error, isPending, refetch } = useQuery(projectsQuery)
  const [dialog, setDialog] = useState<Project | 'new' | null>(null)
  const { change } = useMay()
  const [deleted, setDeleted] = useState<Project | null>(null)
  return (
    <Page
      title="Projects"
      description="Groups of runtimes, to filter every screen by."
      actions={
        change && (
          <Button kind="primary" onClick={() => setDialog('new')}>
            <Plus aria-hidden="true" className="size-4" />
            New project
          </Button>
        )
      }
    >
      {error && <LoadError error={error} onRetry={() => void refetch()} />}
      <Card isFlush>
        {isPending && <Loading />}
        {data && (
          <Table
            caption="Projects"
            columns={change ? [...COLUMNS, actions(setDialog, setDeleted)] : COLUMNS}
            rows={data}
            rowKey={({ projectId }) => projectId}
          />
        )}
      </Card>
      {dialog !== null && <ProjectDialog project={dialog === 'new' ? null : dialog} onClose={() => setDialog(null)} />}
      {deleted && <DeleteProject project={deleted} onClose={() => setDeleted(null)} />}
    </Page>
  )
}

type Act = (project: Project) => void

const COLUMNS: readonly Column<Project>[] = [
  {
    heading: 'Name',
    cell: ({ projectId, name, description, isDefault }) => (
      <div className="min-w-0">
        <span className="flex flex-wrap items-center gap-2 [overflow-wrap:anywhere]">
          <Link to="/" search={{ project: projectId }} className="font-medium underline-offset-2 hover:underline">
            {name}
          </Link>
          {isDefault && <Badge>Default</Badge>}
        </span>
        {description !== null && <p className="max-w-3xl text-muted">{description}</p>}
      </div>
    ),
  },
  { heading: 'Runtimes', isNumber: true, cell: ({ runtimeCount }) => runtimeCount },
  { heading: 'Created', isExtra: true, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

function actions(edit: Act, remove: Act): Column<Project> {
  return {
    heading: 'Actions',
    cell: (project) => (
      <div className="flex gap-2">
        <Button size="small" aria-label={`Rename ${project.name}`} onClick={() => edit(project)}>
          Rename
        </Button>
        {!project.isDefault && (
          <Button size="small" kind="ghost" aria-label={`Delete ${project.name}`} onClick={() => remove(project)}>
            Delete
          </Button>
        )}
      </div>
    ),
  }
}
