import { setTimeout as pause } from 'node:timers/promises'
import { AnalyticsSummary } from '@svc/contract'
import { z } from 'zod'
import type { HarnessOwner } from '../support/owner.ts'
import type { Store } from '../support/store.ts'

const Row = z
  .object({
    execution_id: z.string(),
    kind: z.string(),
    status: z.string(),
    finish_reason: z.string().nullable(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    metadata: z.string().nullable(),
  })
  .transform((row) => ({
    executionId: row.execution_id,
    kind: row.kind,
    status: row.status,
    finishReason: row.finish_reason,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    tag: /"tag":"([^"]*)"/.exec(row.metadata ?? '')?.[1] ?? '',
  }))

/** An execution as it is stored. */
export type ExecutionRow = z.infer<typeof Row>

export async function readExecutions(store: Store): Promise<ExecutionRow[]> {
  const columns = 'execution_id, kind, status, finish_reason, input_tokens, output_tokens, metadata'
  return Row.array().parse(await store.query(`select ${columns} from executions`))
}

const StoredCall = z.object({
  callId: z.string(),
  status: z.string(),
  error: z.string().nullable(),
})

/** A capability call as it is stored. */
export type CallRow = z.infer<typeof StoredCall> & { executionId: string }

const Calls = z.object({ execution_id: z.string(), calls: z.string() })

/** Calls are texts with commas between them, in the rows of their executions. */
export async function readCalls(store: Store): Promise<CallRow[]> {
  const rows = await store.query('select execution_id, calls from executions where calls is not null')
  return rows.flatMap((row) => {
    const { execution_id: executionId, calls } = Calls.parse(row)
    return StoredCall.array()
      .parse(JSON.parse(`[${calls}]`))
      .map((call) => ({ ...call, executionId }))
  })
}

const Count = z.object({ count: z.coerce.number() })

/** How many executions are `running` once they are none, or once the time is up. */
export async function runningAfter(store: Store, withinMs: number): Promise<number> {
  const until = performance.now() + withinMs
  for (;;) {
    const [row] = await store.query("select count(*) as count from executions where status = 'running'")
    const { count } = Count.parse(row)
    if (count === 0 || performance.now() >= until) return count
    await pause(100)
  }
}

/** What an owner is shown of the last day: everything that a scenario of minutes has done. */
export async function readTotals(url: string, owner: HarnessOwner): Promise<AnalyticsSummary['totals']> {
  const now = Date.now()
  const query = new URLSearchParams({
    from: new Date(now - 24 * 3_600_000).toISOString(),
    to: new Date(now + 3_600_000).toISOString(),
  })
  const answer = await fetch(`${url}/v1/analytics/summary?${query}`, {
    headers: { authorization: `Bearer ${owner.apiKey}` },
  })
  return AnalyticsSummary.parse(await answer.json()).totals
}
