import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Brand } from '../ui/brand.tsx'
import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { LoadError } from '../ui/notice.tsx'
import { useTitle } from '../ui/page-title.tsx'

/** An address that is none of ours: nothing stands around it. */
export function Nowhere(): ReactNode {
  return (
    <main className="grid min-h-dvh place-items-center">
      <div>
        <Link to="/" className="flex justify-center">
          <Brand />
        </Link>
        <NotFound />
      </div>
    </main>
  )
}

/** A missing entity, in the screen that would show it. */
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
