import { AnalyticsSummary } from '@svc/contract'
import { z } from 'zod'
import type { Environment } from '../support/environment.ts'
import { type Check, exactly } from '../support/scenario.ts'
import { sum } from '../support/statistics.ts'
import type { Store } from '../support/store.ts'
import { until } from '../support/within.ts'

const Row = z
  .object({
    execution_id: z.string(),
    owner_id: z.string(),
    kind: z.string(),
    status: z.string(),
    finish_reason: z.string().nullable(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    call_count: z.number(),
    metadata: z.string().nullable(),
  })
  .transform((row) => ({
    executionId: row.execution_id,
    ownerId: row.owner_id,
    kind: row.kind,
    status: row.status,
    finishReason: row.finish_reason,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    tokens: row.input_tokens + row.output_tokens,
    callCount: row.call_count,
    tag: /"tag":"([^"]*)"/.exec(row.metadata ?? '')?.[1] ?? '',
    op: Number(/"op":(\d+)/.exec(row.metadata ?? '')?.[1] ?? -1),
  }))

/** An execution as it is stored. */
export type StoredExecution = z.infer<typeof Row>

export async function readExecutions(store: Store): Promise<StoredExecution[]> {
  const columns =
    'execution_id, owner_id, kind, status, finish_reason, input_tokens, output_tokens, call_count, metadata'
  return Row.array().parse(await store.query(`select ${columns} from executions`))
}

const StoredCall = z.object({
  callId: z.string(),
  status: z.string(),
  error: z.string().nullable(),
  /** What the endpoint said later of an unknown call. */
  reconciled: z.object({ status: z.string() }).optional(),
})
export type StoredCall = z.infer<typeof StoredCall> & { executionId: string }

const Calls = z.object({ execution_id: z.string(), calls: z.string() })

/** Calls are texts with commas between them, in the rows of their executions. */
export async function readCalls(store: Store): Promise<StoredCall[]> {
  const rows = Calls.array().parse(
    await store.query('select execution_id, calls from executions where calls is not null'),
  )
  return rows.flatMap(({ execution_id: executionId, calls }) =>
    StoredCall.array()
      .parse(JSON.parse(`[${calls}]`))
      .map((call) => ({ ...call, executionId })),
  )
}

/** How many executions are `running` once they are none, or once the time is up. */
export async function runningAfter(store: Store, withinMs: number): Promise<number> {
  let count = 0
  await until(
    async () => {
      const [row] = await store.query("select count(*) as count from executions where status = 'running'")
      count = Number(row?.['count'])
      return count === 0
    },
    withinMs,
    100,
  )
  return count
}

/** Resolves once all unknown calls are reconciled, or when the time is up. Makes later questions due immediately. */
export async function reconciledWithin(store: Store, withinMs: number): Promise<void> {
  const isTold = async () =>
    (await readCalls(store)).every(({ status, reconciled }) => status !== 'unknown' || reconciled !== undefined)
  // The first question of the last calls comes by itself.
  if (await until(isTold, FIRST_QUESTION_MS, 1_000)) return
  await store.change(`update executions set reconcile_at = completed_at where reconcile_at is not null`)
  await until(isTold, withinMs, 1_000)
}

const FIRST_QUESTION_MS = 10_000

/** Compares the totals of the API with the stored rows. */
export async function checkTotals({ store, server, owner }: Environment): Promise<Check[]> {
  const to = new Date(Date.now() + 3_600_000).toISOString()
  const from = new Date(Date.now() - 24 * 3_600_000).toISOString()
  const headers = { authorization: `Bearer ${owner.apiKey}` }
  const answer = await fetch(`${server.url}/v1/analytics/summary?from=${from}&to=${to}`, { headers })
  const { totals } = AnalyticsSummary.parse(await answer.json())
  const rows = await readExecutions(store)
  return [
    exactly('executions, as the owner is shown', totals.executions, rows.length),
    exactly('tokens in, as the owner is shown', totals.inputTokens, sum(rows.map((row) => row.inputTokens))),
    exactly('tokens out, as the owner is shown', totals.outputTokens, sum(rows.map((row) => row.outputTokens))),
    exactly('capability calls, as the owner is shown', totals.capabilityCalls, sum(rows.map((row) => row.callCount))),
  ]
}
