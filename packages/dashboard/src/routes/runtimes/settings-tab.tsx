import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { projectsQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { useMay } from '../role.ts'
import { DeleteRuntime } from './delete-runtime.tsx'
import { SettingsForm } from './settings-form.tsx'
import { useRuntime } from './use-runtime.ts'

/** Name, endpoint and project of the runtime, and its end. */
export function SettingsTab(): ReactNode {
  const runtime = useRuntime()
  const { change } = useMay()
  return (
    <div className="flex flex-col gap-6">
      {change ? <SettingsForm key={runtime.runtimeId} runtime={runtime} /> : <SettingsFacts runtime={runtime} />}
      {change && <DeleteRuntime runtime={runtime} />}
    </div>
  )
}

function SettingsFacts({ runtime: { name, endpoint, projectId } }: { runtime: Schemas['RuntimeDetail'] }): ReactNode {
  const { data: projects = [] } = useQuery(projectsQuery)
  const project = projects.find((each) => each.projectId === projectId)?.name ?? projectId
  return (
    <Card title="Settings" description="Developers and owners of the account can change them.">
      <Facts
        facts={[
          ['Name', name],
          ['Endpoint', endpoint ?? 'Not set'],
          ['Project', project],
        ]}
      />
    </Card>
  )
}
