import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { LoadError } from '../ui/notice.tsx'
import { useTitle } from '../ui/page-title.tsx'

/** An unknown address, or a missing entity in the screen that would show it. */
export function NotFound(): ReactNode {
  useTitle('Not found')
  return (
    <div className="grid min-h-[60vh] place-items-center">
      <Empty heading="h1" picture="rows" title="Not found" action={<LinkButton to="/">Home</LinkButton>}>
        The address may be mistyped, or belong to another account.
      </Empty>
    </div>
  )
}

/** A screen that could not be shown. */
export function RouteError({ error, reset }: ErrorComponentProps): ReactNode {
  return (
    <div className="mx-auto max-w-xl p-6">
      <LoadError error={error} onRetry={reset} />
    </div>
  )
}

export function RoutePending(): ReactNode {
  return <Loading rows={4} />
}
