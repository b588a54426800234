import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useRef } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { runtimeQuery } from '../../api/queries.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { CodeId } from '../../ui/code-id.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { useMay } from '../role.ts'
import { NotFound } from '../route-states.tsx'

const POLL_MS = 5_000

const TABS: readonly { to: LinkProps['to']; label: string; isExact?: boolean; isForChange?: boolean }[] = [
  { to: '/runtimes/$runtimeId', label: 'Overview', isExact: true },
  { to: '/runtimes/$runtimeId/capabilities', label: 'Capabilities' },
  { to: '/runtimes/$runtimeId/deployments', label: 'Deployments' },
  { to: '/runtimes/$runtimeId/try', label: 'Try it', isForChange: true },
  { to: '/runtimes/$runtimeId/connect', label: 'Connect' },
  { to: '/runtimes/$runtimeId/origins', label: 'Origins' },
  { to: '/runtimes/$runtimeId/keys', label: 'Keys' },
  { to: '/runtimes/$runtimeId/manifest', label: 'Manifest' },
  { to: '/runtimes/$runtimeId/settings', label: 'Settings' },
]

const TAB =
  'inline-flex h-10 items-center border-b-2 border-transparent px-1 text-sm font-medium whitespace-nowrap text-muted ' +
  'hover:text-ink data-[status=active]:border-accent data-[status=active]:text-ink'

/** One runtime: its state, and its parts under tabs with addresses of their own. */
export function RuntimePage(): ReactNode {
  const { runtimeId } = useParams({ from: '/app/session/runtimes/$runtimeId' })
  const { data: runtime, error, refetch } = useQuery({ ...runtimeQuery(runtimeId), refetchInterval: POLL_MS })
  if (error instanceof ApiError && error.code === 'not_found') return <NotFound />
  if (error && !runtime) return <LoadError error={error} onRetry={() => void refetch()} />
  if (!runtime) return <Loading rows={4} />
  return (
    <Page
      title={runtime.name}
      description={<CodeId id={runtimeId} label="the runtime" />}
      badges={
        <>
          <StateBadge state={runtime.connection.status} />
          {runtime.deployment && <StateBadge state={runtime.health} />}
        </>
      }
      actions={
        <LinkButton to="/executions" search={{ runtimeId }}>
          Executions
        </LinkButton>
      }
    >
      <Tabs runtimeId={runtimeId} />
      <Suspense fallback={<Loading rows={4} />}>
        <Outlet />
      </Suspense>
    </Page>
  )
}

function Tabs({ runtimeId }: { runtimeId: string }): ReactNode {
  const strip = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const { change } = useMay()
  // On a narrow screen the strip scrolls, and the present part may be out of sight.
  useEffect(() => {
    const present = [...(strip.current?.querySelectorAll('a') ?? [])].find((link) => link.pathname.endsWith(pathname))
    present?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <nav ref={strip} aria-label="Parts of the runtime" className="overflow-x-auto border-b border-line">
      <ul className="flex gap-5">
        {TABS.filter(({ isForChange }) => change || !isForChange).map(({ to, label, isExact = false }) => (
          <li key={label}>
            <Link
              {...(to !== undefined && { to })}
              params={{ runtimeId }}
              activeOptions={{ exact: isExact, includeSearch: false }}
              className={TAB}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
