import { type ReactNode, useEffect, useRef, useState } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { EMBED_KINDS, type EmbedChoices, type EmbedKind, embedAttributes, embedSnippet, PLAIN } from './embed-lines.ts'

/** The chat as it will look, what can be chosen of it, and the code that puts it onto a page. */
export function EmbedDesigner({ publicKey }: { publicKey: string }): ReactNode {
  const [choices, setChoices] = useState(PLAIN)
  const [kind, setKind] = useState<EmbedKind>('script')
  const { origin } = location
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-6 lg:grid-cols-2">
        <Choices choices={choices} onChange={(changes) => setChoices((now) => ({ ...now, ...changes }))} />
        <Preview publicKey={publicKey} choices={choices} />
      </div>
      <div className="max-w-56">
        <SelectField label="Code for" value={kind} onChange={({ target }) => setKind(kindOf(target.value))}>
          {Object.entries(EMBED_KINDS).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      <CodeBlock text={embedSnippet(kind, { origin, publicKey, choices })} label="the code for your page" />
    </div>
  )
}

function kindOf(value: string): EmbedKind {
  return (['npm', 'react', 'next'] as const).find((kind) => kind === value) ?? 'script'
}

interface ChoicesProps {
  choices: EmbedChoices
  onChange(changes: Partial<EmbedChoices>): void
}

function Choices({ choices, onChange }: ChoicesProps): ReactNode {
  const { heading, greeting, suggestions, color, theme, direction, position } = choices
  return (
    <form aria-label="Look of the chat" className="grid content-start gap-4 sm:grid-cols-2">
      <TextField label="Heading" value={heading} onChange={({ target }) => onChange({ heading: target.value })} />
      <TextField
        label="Colour"
        type="color"
        value={color || '#1f4fd8'}
        onChange={({ target }) => onChange({ color: target.value })}
      />
      <TextField label="Greeting" value={greeting} onChange={({ target }) => onChange({ greeting: target.value })} />
      <SelectField
        label="Position"
        value={position}
        onChange={({ target }) => onChange({ position: target.value === 'page' ? 'page' : 'corner' })}
      >
        <option value="corner">Button in the corner</option>
        <option value="page">In the page</option>
      </SelectField>
      <SelectField
        label="Theme"
        value={theme}
        onChange={({ target: { value } }) => onChange({ theme: value === 'light' || value === 'dark' ? value : '' })}
      >
        <option value="">As the page</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </SelectField>
      <SelectField
        label="Direction"
        value={direction}
        onChange={({ target: { value } }) => onChange({ direction: value === 'ltr' || value === 'rtl' ? value : '' })}
      >
        <option value="">As the page</option>
        <option value="ltr">Left to right</option>
        <option value="rtl">Right to left</option>
      </SelectField>
      <div className="sm:col-span-2">
        <TextArea
          label="Suggestions, one per line"
          rows={3}
          value={suggestions}
          onChange={({ target }) => onChange({ suggestions: target.value })}
          hint="Left empty, heading, greeting, suggestions and colour come from the deployment."
        />
      </div>
    </form>
  )
}

const WIDGET = '/widget.js'

/** The real element, in a box that stands for the page: what is asked in it counts like any other question. */
function Preview({ publicKey, choices }: { publicKey: string; choices: EmbedChoices }): ReactNode {
  const box = useRef<HTMLElement>(null)
  const chat = useRef<HTMLElement>(null)
  useEffect(() => {
    const made = document.createElement('svc-chat')
    chat.current = made
    // Of this server, which may be another version than this page: it is no part of the build.
    void import(/* @vite-ignore */ new URL(WIDGET, location.origin).href).catch(() => undefined)
    box.current?.append(made)
    return () => made.remove()
  }, [])
  useEffect(() => {
    const made = chat.current
    const wanted = new Map([['public-key', publicKey], ...embedAttributes({ choices })])
    for (const name of made?.getAttributeNames() ?? [])
      if (!wanted.has(name) && name !== 'open') made?.removeAttribute(name)
    // The policy of this page lets no style attribute in; a property is set one by one.
    for (const [name, value] of wanted) if (name !== 'style') made?.setAttribute(name, value)
    made?.style.setProperty('--svc-accent', choices.color || null)
    made?.style.setProperty('--svc-on-accent', /on-accent: (#\w+)/.exec(wanted.get('style') ?? '')?.[1] ?? null)
  }, [publicKey, choices])
  return (
    <section
      ref={box}
      aria-label="Preview"
      className="relative min-h-[640px] overflow-hidden rounded-md border border-line bg-subtle p-3 [contain:layout]"
    />
  )
}
