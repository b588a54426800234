import { type Kysely, sql } from 'kysely'
import type { EXECUTION_COUNTERS, Schema } from '../store/schema.ts'
import { readWaiting, WAITING_USAGES } from './journal-store.ts'
import { GRAIN_MS, UsageTotals } from './rollup-rules.ts'

/**
 * The usage of the owner's executions that started in the UTC hour beginning at `hour`. One statement with the waiting
 * journal entries, so that an execution that ends meanwhile is counted once.
 */
export async function usageOfHour(db: Kysely<Schema>, ownerId: string, hour: number) {
  const row = await db
    .selectFrom('execution_rollups')
    .select(({ fn, selectFrom }) => {
      const running = selectFrom('executions')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('owner_id', '=', ownerId)
        .where('status', '=', sql.lit('running' as const))
        .where('started_at', '>=', hour)
        .where('started_at', '<', hour + GRAIN_MS.hour)
      return [
        fn.sum<number | null>('executions').as('executions'),
        fn.sum<number | null>('anonymous').as('anonymous'),
        fn.sum<number | null>('capability_calls').as('calls'),
        fn.sum<number | null>('input_tokens').as('input_tokens'),
        fn.sum<number | null>('output_tokens').as('output_tokens'),
        WAITING_USAGES.as('waiting'),
        running.as('running'),
        running.where('kind', '=', 'broker').as('running_anonymous'),
      ]
    })
    .where('owner_id', '=', ownerId)
    .where('grain', '=', 'hour')
    .where('at', '=', hour)
    .executeTakeFirstOrThrow()
  const totals = new UsageTotals()
  totals.add(readWaiting(row.waiting).filter((usage) => usage.ownerId === ownerId))
  const waiting = totals.executions.filter(({ key: { grain, at } }) => grain === 'hour' && at === hour)
  const all = (stored: number | null, counter: (typeof EXECUTION_COUNTERS)[number]) =>
    waiting.reduce((sum, { counts }) => sum + (counts[counter] ?? 0), stored ?? 0)
  return {
    executions: all(row.executions, 'executions'),
    /** Executions of the broker, which `executions` counts, too. */
    anonymous: all(row.anonymous, 'anonymous'),
    capabilityCalls: all(row.calls, 'capability_calls'),
    inputTokens: all(row.input_tokens, 'input_tokens'),
    outputTokens: all(row.output_tokens, 'output_tokens'),
    /** Executions without an outcome, which the counters above do not have yet. */
    running: { executions: row.running ?? 0, anonymous: row.running_anonymous ?? 0 },
  }
}
