import { changeSentence, compareDeployments, type DeploymentChange } from '@svc/contract/compare-deployments'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { deploymentQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { compareManifests, type ManifestChange } from './compare-manifests.ts'

interface CompareCardProps {
  runtimeId: string
  versions: readonly number[]
  initially: { before: number; after: number }
}

/** What changed between any two deployments. */
export function CompareCard({ runtimeId, versions, initially }: CompareCardProps): ReactNode {
  const [{ before, after }, choose] = useState(initially)
  const sides = [useQuery(deploymentQuery(runtimeId, before)), useQuery(deploymentQuery(runtimeId, after))] as const
  const [old, fresh] = sides.map(({ data }) => data?.manifest)
  const failed = sides.find(({ error }) => error !== null)
  return (
    <Card title="Compare" description="What changed from one deployment to another.">
      <div className="grid gap-4 sm:grid-cols-2">
        <Side
          label="Before"
          value={before}
          versions={versions}
          onChange={(version) => choose({ before: version, after })}
        />
        <Side
          label="After"
          value={after}
          versions={versions}
          onChange={(version) => choose({ before, after: version })}
        />
      </div>
      <div className="mt-5">
        {failed && <LoadError error={failed.error} onRetry={() => void failed.refetch()} />}
        {!failed && !(old && fresh) && <Loading className="p-0" />}
        {old && fresh && <Sentences changes={compareDeployments(old, fresh)} />}
        {old && fresh && <Changes changes={compareManifests(old, fresh)} />}
      </div>
    </Card>
  )
}

interface SideProps {
  label: string
  value: number
  versions: readonly number[]
  onChange: (version: number) => void
}

function Side({ label, value, versions, onChange }: SideProps): ReactNode {
  return (
    <SelectField label={label} value={String(value)} onChange={(event) => onChange(Number(event.target.value))}>
      {versions.map((version) => (
        <option key={version} value={version}>
          Deployment {version}
        </option>
      ))}
    </SelectField>
  )
}

/** The differences in words, the same that the tool prints. */
function Sentences({ changes }: { changes: readonly DeploymentChange[] }): ReactNode {
  if (changes.length === 0) return null
  return (
    <ul aria-label="Changes in words" className="mb-5 flex list-disc flex-col gap-1 pl-5 text-sm">
      {changes.map((change) => (
        <li key={changeSentence(change)} className="[overflow-wrap:anywhere]">
          {change.name}: {change.text} {change.breaking && <Badge tone="bad">breaking</Badge>}
        </li>
      ))}
    </ul>
  )
}

const TONES = { added: 'ok', removed: 'bad', changed: 'accent' } as const

function Changes({ changes }: { changes: readonly ManifestChange[] }): ReactNode {
  if (changes.length === 0) return <p className="text-sm text-muted">They are the same.</p>
  return (
    <ul className="flex flex-col gap-5">
      {changes.map(({ of, name, kind, before, after }) => (
        <li key={`${of} ${name}`} className="flex min-w-0 flex-col gap-2">
          <h3 className="flex flex-wrap items-center gap-2 text-sm">
            {of === 'setting' && <span className="text-muted">Setting</span>}
            <code className="font-medium [overflow-wrap:anywhere]">{name}</code>
            <Badge tone={TONES[kind]}>{kind}</Badge>
          </h3>
          <DiffView before={before} after={after} label={`What changed in ${name}`} />
        </li>
      ))}
    </ul>
  )
}
