import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, type LinkProps, useNavigate, useRouterState } from '@tanstack/react-router'
import {
  Activity,
  BookOpen,
  ChartNoAxesColumn,
  CreditCard,
  FolderOpen,
  House,
  LogOut,
  type LucideIcon,
  UserRound,
  UsersRound,
  Webhook,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { messageBeside } from '../api/api-error.ts'
import { api, bodyOf } from '../api/client.ts'
import { accountQuery } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Brand } from '../ui/brand.tsx'
import { capitalized } from '../ui/format.ts'
import { Notice } from '../ui/notice.tsx'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import { Bell } from './events/bell.tsx'
import { PaletteOpener } from './palette-opener.tsx'
import { ProjectSwitch } from './projects/project-switch.tsx'
import { roleName } from './role.ts'
import { forgetCredentials } from './runtimes/kept-credentials.ts'

const ENTRIES: readonly { to: LinkProps['to'] & string; label: string; icon: LucideIcon }[] = [
  { to: '/', label: 'Home', icon: House },
  { to: '/executions', label: 'Executions', icon: Activity },
  { to: '/analytics', label: 'Analytics', icon: ChartNoAxesColumn },
  { to: '/projects', label: 'Projects', icon: FolderOpen },
  { to: '/members', label: 'Members', icon: UsersRound },
  { to: '/webhooks', label: 'Webhooks', icon: Webhook },
  { to: '/billing', label: 'Billing', icon: CreditCard },
  { to: '/account', label: 'Account', icon: UserRound },
]

const ENTRY =
  'flex h-9 items-center gap-2.5 rounded-md px-3 text-sm font-medium text-muted transition-colors ' +
  'hover:bg-subtle hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent'

export function Sidebar(): ReactNode {
  const path = useRouterState({ select: (state) => state.location.pathname })
  return (
    <div className="flex h-full flex-col gap-5 p-4">
      <div className="flex items-center justify-between max-lg:hidden">
        <Link to="/" className="px-1">
          <Brand />
        </Link>
        <Bell />
      </div>
      <PaletteOpener />
      <ProjectSwitch />
      <nav aria-label="Main">
        <ul className="flex flex-col gap-0.5">
          {ENTRIES.map(({ to, label, icon: Icon }) => (
            <li key={label}>
              <Link to={to} className={ENTRY} {...(isBelow(path, to) && HERE)}>
                <Icon aria-hidden="true" className="size-4" />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="mt-auto flex flex-col gap-3">
        <a href="/docs" target="_blank" rel="noreferrer" className={ENTRY}>
          <BookOpen aria-hidden="true" className="size-4" />
          API reference
        </a>
        <ThemeSwitch />
        <SignedIn />
      </div>
    </div>
  )
}

const HERE = { 'aria-current': 'page' } as const

// The list of runtimes is the first screen of all; single ones are below it all the same.
function isBelow(path: string, to: string): boolean {
  return to === '/' ? path === '/' || path.startsWith('/runtimes') : path.startsWith(to)
}

function SignedIn(): ReactNode {
  const { data: account } = useQuery(accountQuery)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const signOut = useMutation({
    mutationFn: () => bodyOf(api.POST('/v1/auth/sign-out')),
    onSuccess: async () => {
      forgetCredentials()
      queryClient.clear()
      await navigate({ to: '/sign-in' })
    },
  })
  const problem = messageBeside(signOut.error, [])
  const address = account?.member?.email ?? account?.email
  return (
    <>
      {problem !== null && <Notice kind="bad">You are still logged in. {problem}</Notice>}
      <div className="flex items-center gap-2 border-t border-line pt-3 pl-1">
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm" title={address}>
            {address}
          </p>
          {account && (
            <span className="flex flex-wrap gap-1">
              <Badge tone={account.tier === 'free' ? 'neutral' : 'accent'}>{capitalized(account.tier)} plan</Badge>
              {account.role !== 'owner' && <Badge>{roleName(account.role)}</Badge>}
            </span>
          )}
        </div>
        <button
          type="button"
          aria-label="Log out"
          title="Log out"
          disabled={signOut.isPending}
          onClick={() => signOut.mutate()}
          className="rounded-md p-2 text-muted hover:bg-subtle hover:text-ink"
        >
          <LogOut aria-hidden="true" className="size-4" />
        </button>
      </div>
    </>
  )
}
