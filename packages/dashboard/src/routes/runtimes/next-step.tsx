import type { LinkProps } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'

type Runtime = Pick<
  Schemas['RuntimeDetail'],
  'runtimeId' | 'endpoint' | 'lastSeenAt' | 'allowedOrigins' | 'publicKeyPrefix'
>

interface Step {
  text: string
  action: string
  to: LinkProps['to'] & string
}

/** The one thing to do next, from a deployment to a chat on the owner’s page; nothing where all of it is done. */
export function NextStep({ runtime }: { runtime: Runtime }): ReactNode {
  const step = stepOf(runtime)
  if (!step) return null
  return (
    <Card title="Next step">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-48 flex-1 text-sm text-muted">{step.text}</p>
        <LinkButton kind="primary" to={step.to} params={{ runtimeId: runtime.runtimeId }}>
          {step.action}
          <ArrowRight aria-hidden="true" className="size-4" />
        </LinkButton>
      </div>
    </Card>
  )
}

function stepOf({ endpoint, lastSeenAt, allowedOrigins, publicKeyPrefix }: Runtime): Step | null {
  if (endpoint === null) {
    return {
      text: 'Capabilities cannot be called before the runtime has an endpoint.',
      action: 'Set it',
      to: '/runtimes/$runtimeId/settings',
    }
  }
  if (lastSeenAt === null) {
    return {
      text: 'Ask a question that needs a capability, and follow the call.',
      action: 'Try it',
      to: '/runtimes/$runtimeId/try',
    }
  }
  if (publicKeyPrefix !== null && allowedOrigins.length === 0) {
    return {
      text: 'Put the chat on your page, and list the origins that may use the public key.',
      action: 'Add the chat',
      to: '/runtimes/$runtimeId/origins',
    }
  }
  return null
}
