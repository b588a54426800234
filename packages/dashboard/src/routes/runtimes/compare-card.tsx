import { compareDeployments, type DeploymentChange } from '@svc/contract/compare-deployments'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { deploymentQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { compareManifests, type ManifestChange } from './compare-manifests.ts'
import { sentBy } from './deployment-source.tsx'

interface CompareCardProps {
  runtimeId: string
  deployments: readonly Schemas['DeploymentListItem'][]
  initially: { before: number; after: number }
}

/** What changed between any two deployments. */
export function CompareCard({ runtimeId, deployments, initially }: CompareCardProps): ReactNode {
  const [{ before, after }, choose] = useState(initially)
  const sides = [useQuery(deploymentQuery(runtimeId, before)), useQuery(deploymentQuery(runtimeId, after))] as const
  const [old, fresh] = sides.map(({ data }) => data?.manifest)
  const [oldSent, freshSent] = sides.map(({ data }) => data && sentBy(data))
  const failed = sides.find(({ error }) => error !== null)
  return (
    <Card title="Changes" description="The differences between two deployments.">
      <div className="grid gap-4 sm:max-w-2xl sm:grid-cols-2">
        <Side
          label="From"
          value={before}
          sent={oldSent}
          deployments={deployments}
          onChange={(version) => choose({ before: version, after })}
        />
        <Side
          label="To"
          value={after}
          sent={freshSent}
          deployments={deployments}
          onChange={(version) => choose({ before, after: version })}
        />
      </div>
      <div className="mt-5">
        {failed && <LoadError error={failed.error} onRetry={() => void failed.refetch()} />}
        {!failed && !(old && fresh) && <Loading className="p-0" />}
        {old && fresh && <Changes changes={compareManifests(old, fresh)} words={compareDeployments(old, fresh)} />}
      </div>
    </Card>
  )
}

interface SideProps {
  label: string
  value: number
  /** By whom and from what. */
  sent: string | undefined
  deployments: readonly Schemas['DeploymentListItem'][]
  onChange: (version: number) => void
}

function Side({ label, value, sent, deployments, onChange }: SideProps): ReactNode {
  return (
    <SelectField
      label={label}
      value={String(value)}
      {...(sent !== undefined && { hint: <span className="[overflow-wrap:anywhere]">{sent}</span> })}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {deployments.map(({ version, source }) => (
        <option key={version} value={version}>
          {[`Deployment ${version}`, source?.commit?.slice(0, 7), source?.author].filter(Boolean).join(' · ')}
        </option>
      ))}
    </SelectField>
  )
}

const TONES = { added: 'ok', removed: 'bad', changed: 'accent' } as const

interface ChangesProps {
  changes: readonly ManifestChange[]
  /** The same differences in words, as the tool prints them. */
  words: readonly DeploymentChange[]
}

/** Each part that differs, in words; its JSON opens below, for the first one from the start. */
function Changes({ changes, words }: ChangesProps): ReactNode {
  if (changes.length === 0) return <p className="text-sm text-muted">The two deployments are identical.</p>
  return (
    <ul className="flex flex-col divide-y divide-line">
      {changes.map(({ of, name, kind, before, after }, place) => (
        <li key={`${of} ${name}`} className="flex min-w-0 flex-col gap-2 py-4 first:pt-0 last:pb-0">
          <h3 className="flex flex-wrap items-center gap-2 text-sm">
            {of === 'setting' && <span className="text-muted">Setting</span>}
            <code className="font-medium [overflow-wrap:anywhere]">{name}</code>
            <Badge tone={TONES[kind]}>{kind}</Badge>
          </h3>
          <Words words={words.filter((change) => change.of === of && isPartOf(change.name, name))} />
          <details open={place === 0}>
            <summary className="w-fit text-sm text-accent">JSON</summary>
            <div className="mt-2">
              <DiffView before={before} after={after} label={`What changed in ${name}`} />
            </div>
          </details>
        </li>
      ))}
    </ul>
  )
}

/** `website.url` is a part of `website`. */
function isPartOf(changed: string, name: string): boolean {
  return changed === name || changed.startsWith(`${name}.`)
}

function Words({ words }: { words: readonly DeploymentChange[] }): ReactNode {
  const told = words.filter(({ text }) => text !== 'added' && text !== 'removed')
  const isBreaking = words.some(({ breaking }) => breaking)
  return (
    (told.length > 0 || isBreaking) && (
      <ul className="flex list-disc flex-col gap-1 pl-5 text-sm">
        {told.map(({ name, text, breaking }) => (
          <li key={`${name} ${text}`} className="[overflow-wrap:anywhere]">
            {text} {breaking && <Badge tone="bad">breaking</Badge>}
          </li>
        ))}
        {told.length === 0 && (
          <li>
            Calls to it get 404. <Badge tone="bad">breaking</Badge>
          </li>
        )}
      </ul>
    )
  )
}
