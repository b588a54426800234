import { useQueryClient } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { Menu, X } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { useIsAway } from '../api/reachability.ts'
import { Brand } from '../ui/brand.tsx'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Loading } from '../ui/loading.tsx'
import { Notice } from '../ui/notice.tsx'
import { TitleAnnouncer } from '../ui/page-title.tsx'
import { UsageNotice } from './billing/usage-notice.tsx'
import { Bell } from './events/bell.tsx'
import { Sidebar } from './sidebar.tsx'
import { useMenu } from './use-menu.ts'

/** What stands around every screen: the way to all others beside it, or above it where the window is narrow. */
export function Shell(): ReactNode {
  const { isOpen, toggle, opener, menu } = useMenu()
  return (
    <div className="flex min-h-dvh flex-col lg:flex-row">
      <a
        href="#main"
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-md bg-accent-fill px-4 py-2 text-sm text-white focus:translate-y-0"
      >
        Skip to the content
      </a>
      <TitleAnnouncer />
      <header className="sticky top-0 z-20 flex h-14 items-center justify-between border-b border-line bg-surface px-4 lg:hidden">
        <Link to="/">
          <Brand />
        </Link>
        <div className="flex items-center gap-1">
          <Bell />
          <button
            ref={opener}
            type="button"
            aria-expanded={isOpen}
            aria-controls="sidebar"
            aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
            onClick={toggle}
            className="rounded-md p-2 hover:bg-subtle"
          >
            {isOpen ? <X aria-hidden="true" className="size-5" /> : <Menu aria-hidden="true" className="size-5" />}
          </button>
        </div>
      </header>
      <aside
        ref={menu}
        id="sidebar"
        aria-label="Screens and account"
        className={classNames(
          'z-10 border-line bg-surface lg:sticky lg:top-0 lg:block lg:h-dvh lg:w-60 lg:shrink-0 lg:border-r',
          isOpen ? 'fixed inset-x-0 top-14 bottom-0 overflow-y-auto' : 'hidden',
        )}
      >
        <Sidebar />
      </aside>
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
        <div className="mx-auto w-full max-w-6xl px-4 py-6 sm:px-6 lg:px-10 lg:py-9">
          <Away />
          <UsageNotice />
          <Suspense fallback={<Loading rows={4} />}>
            <Outlet />
          </Suspense>
        </div>
      </main>
    </div>
  )
}

/** A banner while the service does not answer. What was loaded stays, and is asked for again. */
function Away(): ReactNode {
  const isAway = useIsAway()
  const queryClient = useQueryClient()
  return (
    isAway && (
      <div className="mb-6">
        <Notice kind="warn">
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <span>The service cannot be reached. What you see may be out of date.</span>
            <Button size="small" onClick={() => void queryClient.refetchQueries({ type: 'active' })}>
              Retry
            </Button>
          </div>
        </Notice>
      </div>
    )
  )
}

/** In the shell while the account loads. */
export function AccountPending(): ReactNode {
  return <Loading rows={6} />
}
