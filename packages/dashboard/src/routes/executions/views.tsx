import { Link, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { type ExecutionsSearch, readExecutionsSearch } from '../search.ts'
import { type SavedView, useSavedViews } from './saved-views.ts'

const VIEWS: readonly SavedView[] = [
  { name: 'All', search: {} },
  { name: 'Failed', search: { status: 'failed' } },
  { name: 'With failed calls', search: { calls: 'failed' } },
  { name: 'Running', search: { status: 'running' } },
]

const VIEW =
  'inline-flex h-8 max-w-60 items-center rounded-full border border-line bg-surface px-3 text-sm text-muted ' +
  'hover:text-ink aria-[current]:border-accent aria-[current]:bg-accent-soft aria-[current]:text-accent'

/** Filters under a name: some that everybody needs, and those that were saved in this browser. */
export function Views(): ReactNode {
  const search = readExecutionsSearch({ ...useSearch({ from: '/app/session/executions' }) })
  const { saved, save, remove } = useSavedViews()
  const [isSaving, setSaving] = useState(false)
  const isKnown = [...VIEWS, ...saved].some((view) => isSame(view.search, search))
  return (
    <nav aria-label="Views" className="flex flex-wrap items-center gap-2">
      {VIEWS.map((view) => (
        <ViewLink key={view.name} view={view} />
      ))}
      {saved.map((view) => (
        <span key={view.name} className="inline-flex items-center">
          <ViewLink view={view} />
          <button
            type="button"
            aria-label={`Remove the view ${view.name}`}
            onClick={() => remove(view.name)}
            className="rounded-full p-1.5 text-muted hover:text-ink"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </span>
      ))}
      {!isKnown && (
        <Button kind="ghost" size="small" onClick={() => setSaving(true)}>
          Save view
        </Button>
      )}
      {isSaving && (
        <SaveDialog
          onSave={(name) => {
            save({ name, search })
            setSaving(false)
          }}
          onClose={() => setSaving(false)}
        />
      )}
    </nav>
  )
}

// The router itself marks the one whose filters are in force.
function ViewLink({ view }: { view: SavedView }): ReactNode {
  return (
    <Link to="/executions" search={view.search} activeOptions={{ exact: true }} className={VIEW}>
      <span className="truncate">{view.name}</span>
    </Link>
  )
}

const NOTHING_SENT = { error: null, isPending: false }

function SaveDialog({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => void }): ReactNode {
  const [name, setName] = useState('')
  return (
    <Dialog title="Save view" onClose={onClose}>
      <Form
        sending={NOTHING_SENT}
        onSend={() => onSave(name.trim())}
        fields={[]}
        action="Save"
        isBlocked={name.trim() === ''}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          hint="The view is kept in this browser."
          maxLength={40}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Form>
    </Dialog>
  )
}

function isSame(one: ExecutionsSearch, other: ExecutionsSearch): boolean {
  const names = ['status', 'calls', 'runtimeId', 'from', 'to'] as const
  return names.every((name) => one[name] === other[name])
}
