import type { ListFilter } from '../../packages/server/src/executions/history.ts'
import { type History, RUNNING, SPAN_MS } from './fill.ts'

export const PAGE = 50

/** One page of a listing that is measured on histories of different sizes. */
export interface Case {
  title: string
  page: 'first' | 'deep'
  filter(history: History): ListFilter
}

type Filters = Pick<ListFilter, 'status' | 'runtimeId' | 'projectId' | 'from' | 'to'>

const STATUSES = [undefined, 'completed', 'failed', 'running'] as const
const BOTH = [false, true]

/** Every combination of filters, and the ones whose answers lie far from where a listing begins. */
export function listCases(): Case[] {
  const combinations = STATUSES.flatMap((status) =>
    BOTH.flatMap((hasRuntime) =>
      BOTH.flatMap((hasProject) => BOTH.map((hasTime) => [status, hasRuntime, hasProject, hasTime] as const)),
    ),
  )
  return [
    ...combinations.flatMap(([status, hasRuntime, hasProject, hasTime]) => {
      const names = [status, hasRuntime && 'runtime', hasProject && 'project', hasTime && 'time'].filter(Boolean)
      return bothPages(names.join(' + ') || 'no filter', (history) => ({
        status,
        ...(hasRuntime && { runtimeId: history.runtimeIds[0] }),
        ...(hasProject && { projectId: history.projectIds[0] }),
        ...(hasTime && middleOf(history, status === 'running')),
      }))
    }),
    ...FAR_AWAY.flatMap(([title, filters]) => bothPages(title, filters)),
  ]
}

const FAR_AWAY: readonly (readonly [string, (history: History) => Filters])[] = [
  ['idle runtime', ({ idleRuntimeId }) => ({ runtimeId: idleRuntimeId })],
  ['completed + idle runtime', ({ idleRuntimeId }) => ({ status: 'completed', runtimeId: idleRuntimeId })],
  ['idle runtime + project', (history) => ({ runtimeId: history.idleRuntimeId, projectId: history.projectIds[0] })],
  [
    'moved runtime + former project',
    (history) => ({ runtimeId: history.movedRuntimeId, projectId: history.projectIds[0] }),
  ],
  [
    'completed + moved runtime + former project',
    (history) => ({ status: 'completed', runtimeId: history.movedRuntimeId, projectId: history.projectIds[0] }),
  ],
  [
    'nothing: failed, idle runtime, other project',
    (history) => ({ status: 'failed', runtimeId: history.idleRuntimeId, projectId: history.projectIds[1] }),
  ],
]

// The middle half; what runs is new, so its window reaches to the present.
function middleOf({ now }: History, isRunning: boolean): Filters {
  const from = now - (SPAN_MS * 3) / 4
  return isRunning ? { from, to: now } : { from, to: now - SPAN_MS / 4 }
}

function bothPages(title: string, filters: (history: History) => Filters): Case[] {
  return [
    { title, page: 'first', filter: (history) => ({ ...filters(history), after: null, limit: PAGE }) },
    {
      title,
      page: 'deep',
      // Halfway through the history or through what runs, so that a full page follows in the smallest one too.
      filter: (history) => {
        const chosen = filters(history)
        const depth = chosen.status === 'running' ? (SPAN_MS / history.size) * (RUNNING / 2) : SPAN_MS / 2
        return { ...chosen, after: { at: Math.floor(history.now - depth), id: 'exec_z' }, limit: PAGE }
      },
    },
  ]
}
