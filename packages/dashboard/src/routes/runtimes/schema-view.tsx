import type { ReactNode } from 'react'
import { JsonView } from '../../ui/json-tree.tsx'
import { describeSchema, type SchemaField } from './describe-schema.ts'

/** A schema in words, with the schema itself below for those who want it. */
export function SchemaView({ title, schema }: { title: string; schema: unknown }): ReactNode {
  const fields = describeSchema(schema)
  if (fields.length === 0) {
    return (
      <details className="min-w-0">
        <summary className="w-fit text-sm text-muted">
          <span className="font-medium text-ink">{title}</span>: no fields
        </summary>
        <div className="mt-2">
          <JsonView value={schema} label={`${title} as JSON Schema`} />
        </div>
      </details>
    )
  }
  return (
    <div className="min-w-0">
      <h3 className="text-sm font-medium">{title}</h3>
      <dl className="mt-2 divide-y divide-line rounded-md border border-line">
        {fields.map((field) => (
          <FieldRow key={field.path} field={field} />
        ))}
      </dl>
      <details className="mt-2">
        <summary className="w-fit text-sm text-accent">As JSON Schema</summary>
        <div className="mt-2">
          <JsonView value={schema} label={`${title} as JSON Schema`} />
        </div>
      </details>
    </div>
  )
}

function FieldRow({ field }: { field: SchemaField }): ReactNode {
  const { path, type, isRequired, description, rules } = field
  return (
    <div className="px-3.5 py-2.5 text-sm">
      <dt className="flex flex-wrap items-baseline gap-x-2">
        <code className="font-medium [overflow-wrap:anywhere]">{path === '' ? 'the value' : path}</code>
        <span className="text-muted">{type}</span>
        {isRequired && <span className="text-xs font-medium text-accent">required</span>}
      </dt>
      <dd className="mt-0.5 text-muted">
        {description}
        {rules.length > 0 && <span className="block text-xs">{rules.join(' · ')}</span>}
      </dd>
    </div>
  )
}
