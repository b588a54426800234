import { type ReactNode, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { Field, SelectField } from '../../ui/field.tsx'
import { type CapabilityChange, type ComparedManifest, compareManifests, parseManifest } from './compare-manifests.ts'
import type { SeenDeployment } from './seen-deployments.ts'

interface OpenedFile {
  name: string
  /** Null: it is no manifest. */
  manifest: ComparedManifest | null
}

/** Any two of the deployments, or one and a file. */
export function CompareCard({ seen }: { seen: readonly SeenDeployment[] }): ReactNode {
  const [file, setFile] = useState<OpenedFile | null>(null)
  const [newest, previous] = seen
  const [beforeName, setBefore] = useState(String(previous?.version ?? newest?.version ?? 'file'))
  const [afterName, setAfter] = useState(String(newest?.version ?? 'file'))
  const pick = (name: string) =>
    name === 'file' ? file?.manifest : seen.find(({ version }) => String(version) === name)?.manifest
  const [before, after] = [pick(beforeName), pick(afterName)]
  const options = [
    ...seen.map(({ version }) => [String(version), `Deployment ${version}`] as const),
    ['file', file ? `File ${file.name}` : 'A file'] as const,
  ]
  return (
    <Card title="Compare" description="What changed from one to the other.">
      <div className="grid gap-4 sm:grid-cols-3">
        <Side label="Before" value={beforeName} options={options} onChange={setBefore} />
        <Side label="After" value={afterName} options={options} onChange={setAfter} />
        <FileField file={file} onFile={setFile} />
      </div>
      <div className="mt-5">
        {before && after ? (
          <Changes changes={compareManifests(before, after)} />
        ) : (
          <p className="text-sm text-muted">Choose a file that holds a manifest.</p>
        )}
      </div>
    </Card>
  )
}

interface SideProps {
  label: string
  value: string
  options: readonly (readonly [string, string])[]
  onChange: (name: string) => void
}

function Side({ label, value, options, onChange }: SideProps): ReactNode {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map(([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </SelectField>
  )
}

function FileField({ file, onFile }: { file: OpenedFile | null; onFile: (file: OpenedFile) => void }): ReactNode {
  const isWrong = file !== null && file.manifest === null
  return (
    <Field label="File" errors={isWrong ? ['This file holds no manifest and no list of capabilities.'] : []}>
      {(control) => (
        <input
          {...control}
          type="file"
          accept="application/json,.json"
          className="h-9 w-full rounded-md border border-edge bg-surface px-2 py-1.5 text-sm text-muted file:mr-2 file:border-0 file:bg-transparent file:p-0 file:font-medium file:text-ink"
          onChange={(event) => {
            const chosen = event.target.files?.[0]
            if (chosen) void chosen.text().then((text) => onFile({ name: chosen.name, manifest: parseManifest(text) }))
          }}
        />
      )}
    </Field>
  )
}

const TONES = { added: 'ok', removed: 'bad', changed: 'accent' } as const

function Changes({ changes }: { changes: readonly CapabilityChange[] }): ReactNode {
  if (changes.length === 0) return <p className="text-sm text-muted">They are the same.</p>
  return (
    <ul className="flex flex-col gap-5">
      {changes.map(({ name, kind, before, after }) => (
        <li key={name} className="flex min-w-0 flex-col gap-2">
          <h3 className="flex flex-wrap items-center gap-2 text-sm">
            <code className="font-medium [overflow-wrap:anywhere]">{name}</code>
            <Badge tone={TONES[kind]}>{kind}</Badge>
          </h3>
          <DiffView before={before} after={after} label={`What changed in ${name}`} />
        </li>
      ))}
    </ul>
  )
}
