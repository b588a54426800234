import * as z from 'zod'
import { ApprovalRequiredEvent } from './approvals.ts'
import { CallFailure } from './errors.ts'
import { ExecuteResponse } from './executions.ts'

/** The event id to go on from; 0 is the beginning. */
export const LAST_EVENT_ID_HEADER = 'last-event-id'
/** Carries the `resumeKey` of a stream on the routes that resume or cancel its execution. */
export const RESUME_KEY_HEADER = 'x-svc-resume-key'

/**
 * What a streamed execute sends. Each event’s `data` is one of these, with its name repeated under `type`. `execution` comes
 * first. `gap`: earlier events are not held any more, and `done` follows. `done` comes last on every stream, failures
 * included, with what the unstreamed answer would have held.
 */
export const StreamEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('execution'), executionId: z.string(), resumeKey: z.string() }),
    z.object({ type: z.literal('text'), content: z.string() }),
    z.object({ type: z.literal('capability_start'), callId: z.string(), capability: z.string() }),
    z.object({
      type: z.literal('capability_end'),
      callId: z.string(),
      capability: z.string(),
      durationMs: z.number().nonnegative(),
      error: CallFailure.optional(),
      outcome: z.literal('unknown').optional().describe('Beside `error`: nobody knows whether the call took effect.'),
    }),
    ApprovalRequiredEvent,
    z.object({ type: z.literal('gap') }),
    ExecuteResponse.extend({ type: z.literal('done') }),
  ])
  .describe(
    'What one event’s `data` holds; its name is repeated under `type`. `execution` comes first, `done` last on every stream. `gap`: earlier events are not held any more, and `done` follows.',
  )
export type StreamEvent = z.infer<typeof StreamEvent>
