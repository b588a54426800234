import type { ExecutionSummary } from '@svc/contract'
import { accountSource } from '../control-plane/account-source.ts'
import type { CliDeps } from '../deps.ts'
import { baseUrlOf } from '../project/base-url.ts'
import { surroundings } from '../project/surroundings.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { executionLine, isFailure } from './execution-line.ts'
import { followExecutions } from './follow-executions.ts'
import { executionReader, type ReadExecutions } from './read-executions.ts'

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
  const source = async () => {
    const env = surroundings(deps)
    return executionReader(deps, await accountSource(deps, { env, baseUrl: baseUrlOf(env) }))
  }
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
