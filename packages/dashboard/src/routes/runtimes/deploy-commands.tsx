import type { ReactNode } from 'react'
import { CodeBlock } from '../../ui/code-block.tsx'
import { DEPLOY_STEPS } from './deploy-steps.ts'

/** The way to a deployment, word for word. */
export function DeployCommands(): ReactNode {
  return (
    <>
      <ol className="flex flex-col gap-3">
        {DEPLOY_STEPS.map(({ why, commands }) => (
          <li key={why} className="min-w-0">
            <p className="mb-1 text-sm text-muted">{why}</p>
            <CodeBlock text={commands.join('\n')} label={`“${commands[0] ?? ''}”`} />
          </li>
        ))}
      </ol>
      <p className="text-sm text-muted">If svc is already a dependency of your project, run only the last two.</p>
    </>
  )
}

export function Waiting(): ReactNode {
  return (
    <p role="status" className="flex items-center gap-3 rounded-md bg-subtle px-3.5 py-3 text-sm text-muted">
      <span aria-hidden="true" className="relative flex size-2.5 shrink-0">
        <span className="absolute size-full animate-ping rounded-full bg-accent opacity-60" />
        <span className="size-full rounded-full bg-accent" />
      </span>
      Waiting for the first deployment. This page updates by itself.
    </p>
  )
}
