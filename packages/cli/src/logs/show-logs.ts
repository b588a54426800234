import { type ExecutionSummary, RuntimeId } from '@svc/contract'
import { findAccountKey } from '../control-plane/account-key.ts'
import { refused } from '../control-plane/faults.ts'
import { readStatus } from '../control-plane/read-status.ts'
import type { CliDeps, Environment } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import { baseUrlOf } from '../project/base-url.ts'
import { surroundings } from '../project/surroundings.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { executionLine, isFailure } from './execution-line.ts'
import { followExecutions } from './follow-executions.ts'
import { executionReader, type ReadExecutions, type Source } from './read-executions.ts'

type LogsInput = {
  readonly isFollowing: boolean
  readonly isFailedOnly: boolean
  /** How many of the latest are shown, 1 to 200. */
  readonly limit: number
}

/** `svc logs`: the latest executions of the project’s runtime, oldest first; with `--follow` it goes on until Ctrl-C. */
export async function showLogs(deps: CliDeps, terminal: Terminal, input: LogsInput): Promise<void> {
  terminal.resultPerLine()
  const show = (executions: readonly ExecutionSummary[]) => {
    for (const execution of executions) {
      if (input.isFailedOnly && !isFailure(execution)) continue
      terminal.line(...executionLine(execution))
      terminal.result(execution)
    }
  }
  const source = async () => executionReader(deps, await sourceOf(deps))
  if (input.isFollowing) return follow(deps, terminal, { source, show, input })
  const latest = await readLatest(await source(), input)
  show(latest.toReversed())
  if (latest.length === 0) terminal.note(input.isFailedOnly ? 'No execution has failed.' : 'There are no executions.')
}

type Followed = {
  readonly source: () => Promise<ReadExecutions>
  readonly show: (executions: readonly ExecutionSummary[]) => void
  readonly input: LogsInput
}

async function follow(deps: CliDeps, terminal: Terminal, { source, show, input }: Followed): Promise<void> {
  const interruption = untilInterrupted()
  const stop = new AbortController()
  const { signal } = stop
  const begin = async () => {
    const read = await source()
    await followExecutions(deps, terminal, { read, readLatest: () => readLatest(read, input), show, signal })
  }
  try {
    await Promise.race([begin(), interruption.happened])
  } finally {
    stop.abort()
    interruption.release()
  }
}

const FAILURES = [{ status: 'failed' }, { calls: 'failed' }, { calls: 'unknown' }] as const

/** Newest first. What failed is what ended so, and what has calls that did or of which nobody knows. */
async function readLatest(read: ReadExecutions, { isFailedOnly, limit }: LogsInput): Promise<ExecutionSummary[]> {
  if (!isFailedOnly) return read({}, limit)
  const all = await Promise.all(FAILURES.map((filter) => read(filter, limit)))
  const byId = new Map(all.flat().map((execution) => [execution.executionId, execution]))
  return [...byId.values()].sort((one, other) => other.startedAt.localeCompare(one.startedAt)).slice(0, limit)
}

async function sourceOf(deps: CliDeps): Promise<Source> {
  const env = surroundings(deps)
  const baseUrl = baseUrlOf(env)
  const credential = findAccountKey(deps, env, baseUrl)
  if (credential === null) {
    throw projectFailure(
      'SVC_ACCOUNT_KEY is not set: executions are read with an account key, not with a deploy key.',
      [
        `Run \`svc login\`; or make one in the dashboard, under “Account” (${baseUrl}/dashboard), and set it.`,
        'It opens the whole account: set it in your shell, and keep it away from the server of your capabilities.',
      ],
    )
  }
  return { ...credential, runtimeId: await runtimeIdOf(deps, env, baseUrl) }
}

async function runtimeIdOf(deps: CliDeps, env: Environment, baseUrl: string): Promise<string> {
  const [runtimeId, apiKey] = [env['SVC_RUNTIME_ID'] || null, env['SVC_API_KEY']?.trim() || null]
  if (runtimeId !== null) {
    const parsed = RuntimeId.safeParse(runtimeId)
    if (parsed.success) return parsed.data
    throw projectFailure(`SVC_RUNTIME_ID ${parsed.error.issues[0]?.message ?? 'must be a runtime’s id, rt_….'}`)
  }
  if (apiKey === null) {
    throw projectFailure('It is not known which runtime this is.', [
      'Set SVC_RUNTIME_ID to its id, rt_…, or SVC_API_KEY to its deploy key.',
    ])
  }
  const status = await readStatus(deps, { baseUrl, apiKey })
  if (!status.ok) throw refused(status.refusal)
  return status.value.runtimeId
}
