import type { ReactNode } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'

const COMMANDS = [
  ['New project? This writes one that works, beside the .env above.', 'npx svc init --yes'],
  ['Serve the capabilities on your machine.', 'npx svc dev'],
  ['In another terminal: publish what there is.', 'npx svc deploy'],
] as const

/** The way to a deployment, word for word. */
export function DeployCommands(): ReactNode {
  return (
    <ol className="flex flex-col gap-3">
      {COMMANDS.map(([why, command]) => (
        <li key={command}>
          <p className="mb-1 text-sm text-muted">{why}</p>
          <CodeBlock text={command} label={`“${command}”`} />
        </li>
      ))}
    </ol>
  )
}

export function Waiting(): ReactNode {
  return (
    <p role="status" className="flex items-center gap-3 rounded-md bg-subtle px-3.5 py-3 text-sm text-muted">
      <span aria-hidden="true" className="relative flex size-2.5">
        <span className="absolute size-full animate-ping rounded-full bg-accent opacity-60" />
        <span className="size-full rounded-full bg-accent" />
      </span>
      Waiting for the first deployment. This page will notice.
    </p>
  )
}
