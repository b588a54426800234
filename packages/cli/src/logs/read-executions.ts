import { type ExecutionSummary, TraceList } from '@svc/contract'
import type { AccountSource } from '../control-plane/account-source.ts'
import type { Refusal } from '../control-plane/answer.ts'
import { accountKeyNotAccepted, refused } from '../control-plane/faults.ts'
import { request } from '../control-plane/request.ts'
import type { CliDeps } from '../deps.ts'
import { CommandFailure, serverFailure } from '../failures.ts'

const TIMEOUT_MS = 10_000
const PAGE = 200

/** Which executions to read; `from` (inclusive) and `to` (exclusive) are milliseconds since the epoch, on the start. */
type Filter = {
  readonly status?: 'running' | 'failed'
  readonly calls?: 'failed' | 'unknown'
  readonly from?: number
  readonly to?: number
}

/** Executions of the runtime, newest start first: all that the filter lets through, or at most `limit` (1 to 200). */
export type ReadExecutions = (filter: Filter, limit?: number) => Promise<ExecutionSummary[]>

/** A failure that a later try may not meet: no answer, an answer of something in between, a busy control plane. */
export class PassingFailure extends CommandFailure {
  readonly retryAfterMs: number

  constructor({ kind, message, lines }: CommandFailure, retryAfterMs = 0) {
    super(kind, message, lines)
    this.retryAfterMs = retryAfterMs
  }
}

export function executionReader(deps: Pick<CliDeps, 'fetch'>, source: AccountSource): ReadExecutions {
  return async (filter, limit) => {
    const read: ExecutionSummary[] = []
    let cursor: string | null = null
    do {
      const page: TraceList = await readPage(deps, source, {
        ...filter,
        limit: limit ?? PAGE,
        ...(cursor && { cursor }),
      })
      read.push(...page.traces)
      cursor = limit === undefined ? page.nextCursor : null
    } while (cursor !== null)
    return read
  }
}

async function readPage(
  deps: Pick<CliDeps, 'fetch'>,
  source: AccountSource,
  query: Readonly<Record<string, string | number>>,
): Promise<TraceList> {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) text.set(name, String(value))
  const answer = await request(
    deps,
    { baseUrl: source.baseUrl, bearer: source.accountKey },
    {
      method: 'GET',
      path: `/v1/traces/runtime/${source.runtimeId}?${text}`,
      timeoutMs: TIMEOUT_MS,
      answer: TraceList,
    },
  ).catch((error: unknown) => {
    throw error instanceof CommandFailure ? new PassingFailure(error) : error
  })
  if (answer.ok) return answer.value
  throw failureOf(source, answer.refusal)
}

function failureOf(source: AccountSource, refusal: Refusal): CommandFailure {
  const { status, retryAfterSeconds } = refusal
  if (status === 429 || status >= 500) return new PassingFailure(refused(refusal), (retryAfterSeconds ?? 0) * 1000)
  if (status === 401) return accountKeyNotAccepted(source)
  if (status !== 404) return refused(refusal)
  return serverFailure(`The account of ${source.source} has no runtime ${source.runtimeId} at ${source.baseUrl}.`, [
    'Take a key of the account that registered it, or correct SVC_RUNTIME_ID. `svc whoami` says whose the keys are.',
  ])
}
