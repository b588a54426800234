import { ExecutionStatus } from '@svc/contract'
import { z } from 'zod'
import { PageCursor, PageLimit, PageTime } from '../http/page.ts'

const fields = {
  limit: PageLimit,
  cursor: PageCursor,
  status: ExecutionStatus.optional(),
  from: PageTime,
  to: PageTime,
  projectId: z.string().optional(),
}

const isForward = ({ from, to }: { from?: number | undefined; to?: number | undefined }) =>
  from === undefined || to === undefined || from <= to

const BACKWARD = { path: ['from'], error: 'must not be later than “to”.' }

/** Query of the list of executions: filters in any combination. */
export const ExecutionsQuery = z
  .strictObject({ ...fields, runtimeId: z.string().optional() })
  .refine(isForward, BACKWARD)

/** The same for one runtime, which the path names. */
export const TracesQuery = z.strictObject(fields).refine(isForward, BACKWARD)
