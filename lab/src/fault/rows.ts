import { AnalyticsSummary } from '@svc/contract'
import { z } from 'zod'
import { type Environment, get } from '../support/environment.ts'
import { type Check, exactly } from '../support/scenario.ts'
import { sum } from '../support/statistics.ts'
import type { Store } from '../support/store.ts'
import { until } from '../support/within.ts'

/** An execution as it is stored. */
const Row = z.object({
  executionId: z.string(),
  ownerId: z.string(),
  kind: z.string(),
  status: z.string(),
  finishReason: z.string().nullable(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  callCount: z.number(),
  metadata: z.string().nullable(),
})
export type StoredExecution = ReturnType<typeof toExecution>

const COLUMNS = Object.keys(Row.shape).map((name) => {
  return `${name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`)} as "${name}"`
})

export async function readExecutions(store: Store): Promise<StoredExecution[]> {
  const rows = await store.query(`select ${COLUMNS.join()} from executions`)
  return Row.array().parse(rows).map(toExecution)
}

function toExecution({ metadata, ...row }: z.infer<typeof Row>) {
  return {
    ...row,
    tokens: row.inputTokens + row.outputTokens,
    tag: /"tag":"([^"]*)"/.exec(metadata ?? '')?.[1] ?? '',
    /** The operation that its metadata names. */
    op: Number(/"op":(\d+)/.exec(metadata ?? '')?.[1] ?? -1),
  }
}

const StoredCall = z.object({
  callId: z.string(),
  status: z.string(),
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
  await store.connect(({ run }) =>
    run('update executions set reconcile_at = completed_at where reconcile_at is not null'),
  )
  await until(isTold, withinMs, 1_000)
}

const FIRST_QUESTION_MS = 10_000

/** Compares the totals of the API with the stored rows. */
export async function checkTotals({ store, server, owner }: Environment): Promise<Check[]> {
  const to = new Date(Date.now() + 3_600_000).toISOString()
  const from = new Date(Date.now() - 24 * 3_600_000).toISOString()
  const url = `${server.url}/v1/analytics/summary?from=${from}&to=${to}`
  const { totals } = AnalyticsSummary.parse(await get(url, owner.apiKey))
  const rows = await readExecutions(store)
  return [
    exactly('executions, as the owner is shown', totals.executions, rows.length),
    exactly('tokens in, as the owner is shown', totals.inputTokens, sum(rows.map((row) => row.inputTokens))),
    exactly('tokens out, as the owner is shown', totals.outputTokens, sum(rows.map((row) => row.outputTokens))),
    exactly('capability calls, as the owner is shown', totals.capabilityCalls, sum(rows.map((row) => row.callCount))),
  ]
}
