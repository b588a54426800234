import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { ApiError } from './api/api-error.ts'
import { accountQuery } from './api/queries.ts'
import { NotFound, RouteError, RoutePending } from './routes/route-states.tsx'
import { readAnalyticsSearch, readExecutionsSearch, readSignInSearch, text } from './routes/search.ts'
import { AccountPending, Shell } from './routes/shell.tsx'

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import('./routes/account/sign-in.tsx'), 'SignIn'),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import('./routes/account/sign-up.tsx'), 'SignUp'),
})

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./routes/account/forgot-password.tsx'), 'ForgotPassword'),
})

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/new-password',
  component: lazyRouteComponent(() => import('./routes/account/new-password.tsx'), 'NewPassword'),
})

const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('./routes/account/join.tsx'), 'Join'),
})

/** Every page that needs a session. The shell stands from the start: a menu opened while the account loads stays open. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  validateSearch: (search: Record<string, unknown>): { project?: string | undefined } => text(search, 'project'),
  // The chosen project goes along with every link that does not name another; other filters belong to their screens.
  search: { middlewares: [retainSearchParams(['project'])] },
})

const session = createRoute({
  getParentRoute: () => app,
  id: 'session',
  component: Outlet,
  pendingComponent: AccountPending,
  pendingMs: 150,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(accountQuery)
    } catch (error) {
      // A service that is away keeps nobody from the screens: these say so, and ask again.
      if (!(error instanceof ApiError) || error.code !== 'unauthorized') return
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
    }
  },
})

const screen = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => session, path, component })

const home = screen(
  '/',
  lazyRouteComponent(() => import('./routes/home/home.tsx'), 'Home'),
)
const newRuntime = screen(
  '/runtimes/new',
  lazyRouteComponent(() => import('./routes/runtimes/new-runtime.tsx'), 'NewRuntime'),
)
const projects = screen(
  '/projects',
  lazyRouteComponent(() => import('./routes/projects/projects.tsx'), 'Projects'),
)
const events = screen(
  '/events',
  lazyRouteComponent(() => import('./routes/events/events.tsx'), 'Events'),
)
const webhooks = screen(
  '/webhooks',
  lazyRouteComponent(() => import('./routes/webhooks/webhooks.tsx'), 'Webhooks'),
)
const webhook = screen(
  '/webhooks/$webhookId',
  lazyRouteComponent(() => import('./routes/webhooks/webhook-page.tsx'), 'WebhookPage'),
)
const members = screen(
  '/members',
  lazyRouteComponent(() => import('./routes/members/members.tsx'), 'Members'),
)
const account = screen(
  '/account',
  lazyRouteComponent(() => import('./routes/account/account.tsx'), 'Account'),
)

const device = createRoute({
  getParentRoute: () => session,
  path: '/device',
  validateSearch: (search: Record<string, unknown>): { code?: string } => text(search, 'code'),
  component: lazyRouteComponent(() => import('./routes/account/device.tsx'), 'Device'),
})

const runtime = screen(
  '/runtimes/$runtimeId',
  lazyRouteComponent(() => import('./routes/runtimes/runtime-page.tsx'), 'RuntimePage'),
)

const tab = <Path extends string>(path: Path, component: RouteComponent) =>
  createRoute({ getParentRoute: () => runtime, path, component })

const tabs = [
  tab(
    '/',
    lazyRouteComponent(() => import('./routes/runtimes/overview-tab.tsx'), 'OverviewTab'),
  ),
  tab(
    '/capabilities',
    lazyRouteComponent(() => import('./routes/runtimes/capabilities-tab.tsx'), 'CapabilitiesTab'),
  ),
  tab(
    '/deployments',
    lazyRouteComponent(() => import('./routes/runtimes/deployments-tab.tsx'), 'DeploymentsTab'),
  ),
  tab(
    '/origins',
    lazyRouteComponent(() => import('./routes/runtimes/origins-tab.tsx'), 'OriginsTab'),
  ),
  tab(
    '/keys',
    lazyRouteComponent(() => import('./routes/runtimes/keys-tab.tsx'), 'KeysTab'),
  ),
  tab(
    '/manifest',
    lazyRouteComponent(() => import('./routes/runtimes/manifest-tab.tsx'), 'ManifestTab'),
  ),
  tab(
    '/connect',
    lazyRouteComponent(() => import('./routes/runtimes/connect-tab.tsx'), 'ConnectTab'),
  ),
  tab(
    '/settings',
    lazyRouteComponent(() => import('./routes/runtimes/settings-tab.tsx'), 'SettingsTab'),
  ),
  tab(
    '/try',
    lazyRouteComponent(() => import('./routes/runtimes/try-tab.tsx'), 'TryTab'),
  ),
] as const

const executions = createRoute({
  getParentRoute: () => session,
  path: '/executions',
  validateSearch: readExecutionsSearch,
  component: lazyRouteComponent(() => import('./routes/executions/executions.tsx'), 'Executions'),
})

const trace = screen(
  '/executions/$executionId',
  lazyRouteComponent(() => import('./routes/executions/trace-page.tsx'), 'TracePage'),
)

const analytics = createRoute({
  getParentRoute: () => session,
  path: '/analytics',
  validateSearch: readAnalyticsSearch,
  component: lazyRouteComponent(() => import('./routes/analytics/analytics.tsx'), 'Analytics'),
})

const billing = createRoute({
  getParentRoute: () => session,
  path: '/billing',
  validateSearch: (search: Record<string, unknown>): { checkoutId?: string; outcome?: string } => ({
    ...text(search, 'checkoutId'),
    ...text(search, 'outcome'),
  }),
  component: lazyRouteComponent(() => import('./routes/billing/billing.tsx'), 'Billing'),
})

/** Any other address, so that menus stand around it, too. */
const notFound = screen('$', NotFound)

const routeTree = root.addChildren([
  signIn,
  signUp,
  forgotPassword,
  newPassword,
  join,
  app.addChildren([
    session.addChildren([
      home,
      newRuntime,
      runtime.addChildren(tabs),
      executions,
      trace,
      analytics,
      projects,
      billing,
      events,
      webhooks,
      webhook,
      members,
      account,
      device,
      notFound,
    ]),
  ]),
])

/** The screens and their addresses, below /dashboard. */
export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/dashboard',
    context: { queryClient },
    defaultPreload: 'intent',
    defaultErrorComponent: RouteError,
    defaultPendingComponent: RoutePending,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
