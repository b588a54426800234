import { z } from 'zod'
import { PageCursor, PageLimit } from './page.ts'

export const RuntimeIdParam = z.string().describe('The id of a runtime, `rt_…`.')
export const ProjectIdParam = z.string().describe('The id of a project, `proj_…`.')

export const RuntimeParams = z.object({ runtimeId: RuntimeIdParam })

export const ExecutionParams = z.object({ executionId: z.string().describe('The id of an execution, `exec_…`.') })

/** Query of a list without filters. */
export const ListQuery = z.strictObject({ limit: PageLimit, cursor: PageCursor })
