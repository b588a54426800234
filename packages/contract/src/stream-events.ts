import * as z from 'zod'
import { Failure } from './errors.ts'
import { ExecuteResponse } from './executions.ts'

/**
 * What a streamed execute sends. Each event’s `data` is one of these, with its name repeated under `type`.
 * `done` comes last on every stream, failures included, with what the unstreamed answer would have held.
 */
export const StreamEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), content: z.string() }),
    z.object({ type: z.literal('capability_start'), callId: z.string(), capability: z.string() }),
    z.object({
      type: z.literal('capability_end'),
      callId: z.string(),
      capability: z.string(),
      durationMs: z.number().nonnegative(),
      error: Failure.optional(),
    }),
    ExecuteResponse.extend({ type: z.literal('done') }),
  ])
  .describe('What one event’s `data` holds; its name is repeated under `type`. `done` comes last on every stream.')
export type StreamEvent = z.infer<typeof StreamEvent>
