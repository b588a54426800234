import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { formatCount } from './format.ts'
import { SCROLLABLE } from './scrollable.ts'
import { visible } from './visible.ts'

const OPEN_DEPTH = 3
/** The number of members drawn at once; a longer list is cut, and says so. */
const SHOWN = 100

/** A JSON value whose objects and lists can be folded. The outer ones are open at first. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }): ReactNode {
  if (!isFoldable(value)) {
    return (
      <p className="py-px pl-4">
        <Name name={name} />
        <Leaf value={value} />
      </p>
    )
  }
  const members: readonly (readonly [string, unknown])[] = Object.entries(value)
  const isList = Array.isArray(value)
  if (members.length === 0) {
    return (
      <p className="py-px pl-4">
        <Name name={name} />
        <span className="text-muted">{isList ? '[ ]' : '{ }'}</span>
      </p>
    )
  }
  return (
    <details open={depth < OPEN_DEPTH}>
      <summary className="rounded py-px marker:text-muted hover:bg-subtle">
        <Name name={name} />
        <span className="text-muted">
          {isList ? `[ ${formatCount(members.length)} ]` : `{ ${formatCount(members.length)} }`}
        </span>
      </summary>
      <div className="ml-1.5 border-l border-line pl-3">
        {members.slice(0, SHOWN).map(([key, member]) => (
          <JsonTree key={key} name={key} value={member} depth={depth + 1} />
        ))}
        {members.length > SHOWN && <p className="pl-4 text-muted">and {formatCount(members.length - SHOWN)} more</p>}
      </div>
    </details>
  )
}

interface JsonViewProps {
  value: unknown
  label: string
  /** Whether the view may fill the screen. */
  isTall?: boolean
}

/** A tree in its frame. */
export function JsonView({ value, label, isTall = false }: JsonViewProps): ReactNode {
  return (
    <section
      aria-label={label}
      {...SCROLLABLE}
      className={classNames(
        'relative overflow-auto rounded-md border border-line bg-surface p-3 font-mono text-[13px] leading-relaxed',
        isTall ? 'max-h-[70vh]' : 'max-h-96',
      )}
    >
      <JsonTree value={value} />
    </section>
  )
}

function Name({ name }: { name: string | undefined }): ReactNode {
  return name === undefined ? null : <bdi className="text-accent">{visible(name)}: </bdi>
}

function Leaf({ value }: { value: unknown }): ReactNode {
  if (typeof value === 'string') {
    return <bdi className="whitespace-pre-wrap text-ok [overflow-wrap:anywhere]">{visible(JSON.stringify(value))}</bdi>
  }
  return <span className="text-warn">{String(value)}</span>
}

function isFoldable(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
