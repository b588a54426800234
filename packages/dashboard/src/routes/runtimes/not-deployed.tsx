import type { ReactNode } from 'react'
import { LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'

interface NotDeployedProps {
  runtimeId: string
  title: string
  children: ReactNode
}

/** In place of a tab that needs a deployment: leads to the steps of the first one. */
export function NotDeployed({ runtimeId, title, children }: NotDeployedProps): ReactNode {
  return (
    <Card>
      <Empty
        picture="rows"
        title={title}
        action={
          <LinkButton to="/runtimes/$runtimeId" params={{ runtimeId }}>
            How to deploy
          </LinkButton>
        }
      >
        {children}
      </Empty>
    </Card>
  )
}
