import type { NavigateOptions } from '@tanstack/react-router'
import type { Schemas } from '../api/client.ts'

/** A place to go to; `isForChange`: of no use to those who only read. */
export type PaletteCommand = { group: string; name: string; isForChange?: true } & (
  | { link: NavigateOptions }
  | { href: string }
)

interface Known {
  runtimes: readonly Pick<Schemas['RuntimeListItem'], 'runtimeId' | 'name'>[]
  projects: readonly Pick<Schemas['Project'], 'projectId' | 'name'>[]
  mayChange: boolean
}

const SCREENS: readonly PaletteCommand[] = [
  { group: 'Screen', name: 'Home', link: { to: '/' } },
  { group: 'Screen', name: 'Executions', link: { to: '/executions' } },
  { group: 'Screen', name: 'Failed executions', link: { to: '/executions', search: { status: 'failed' } } },
  { group: 'Screen', name: 'Analytics', link: { to: '/analytics' } },
  { group: 'Screen', name: 'Projects', link: { to: '/projects' } },
  { group: 'Screen', name: 'Events', link: { to: '/events' } },
  { group: 'Screen', name: 'Webhooks', link: { to: '/webhooks' } },
  { group: 'Screen', name: 'Members', link: { to: '/members' } },
  { group: 'Screen', name: 'Billing', link: { to: '/billing' } },
  { group: 'Screen', name: 'Account and API keys', link: { to: '/account' } },
  { group: 'Screen', name: 'New runtime', link: { to: '/runtimes/new' }, isForChange: true },
  { group: 'Screen', name: 'Log in from a terminal', link: { to: '/device' } },
  { group: 'Help', name: 'API reference', href: '/docs' },
]

const TABS = [
  ['Overview', '/runtimes/$runtimeId'],
  ['Capabilities', '/runtimes/$runtimeId/capabilities'],
  ['Deployments', '/runtimes/$runtimeId/deployments'],
  ['Try it', '/runtimes/$runtimeId/try'],
  ['Connect', '/runtimes/$runtimeId/connect'],
  ['Origins', '/runtimes/$runtimeId/origins'],
  ['Keys', '/runtimes/$runtimeId/keys'],
  ['Manifest', '/runtimes/$runtimeId/manifest'],
  ['Settings', '/runtimes/$runtimeId/settings'],
] as const

/** The places whose name has every typed word, in any order; parts of runtimes are offered once something is typed. For the
 * id of an execution, its trace. */
export function commandsFor(typed: string, { runtimes, projects, mayChange }: Known): PaletteCommand[] {
  const id = typed.trim()
  const executionId = /^exec_\w+$/.test(id) ? id : null
  const words = id.toLowerCase().split(/\s+/)
  const all: PaletteCommand[] = [
    ...(id === '' ? SCREENS : []),
    ...runtimes.flatMap(({ runtimeId, name }) => tabsOf(runtimeId, name).slice(0, id === '' ? 1 : undefined)),
    ...(id === '' ? [] : SCREENS),
    ...projects.map(({ projectId, name }): PaletteCommand => {
      return { group: 'Project', name, link: { to: '/', search: { project: projectId } } }
    }),
  ]
  const found = all.filter((command) => {
    const text = `${command.group} ${command.name} ${'link' in command ? JSON.stringify(command.link.params ?? '') : ''}`
    return (mayChange || !command.isForChange) && words.every((word) => text.toLowerCase().includes(word))
  })
  if (executionId === null) return found
  return [{ group: 'Execution', name: executionId, link: { to: '/executions/$executionId', params: { executionId } } }]
}

function tabsOf(runtimeId: string, name: string): PaletteCommand[] {
  return TABS.map(([tab, to]) => ({
    group: 'Runtime',
    name: tab === 'Overview' ? name : `${name}: ${tab}`,
    link: { to, params: { runtimeId } },
    ...(tab === 'Try it' && { isForChange: true }),
  }))
}
