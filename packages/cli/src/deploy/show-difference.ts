import type { Credential } from '../control-plane/answer.ts'
import { compareNames, isInSync, printDifference } from '../control-plane/compare-names.ts'
import { readStatus } from '../control-plane/read-status.ts'
import type { CliDeps } from '../deps.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Input = { terminal: Terminal; local: readonly string[] }

/** Prints what the deployment would change. A failed look-up is mentioned and never stands in the way. */
export async function showDifference(deps: Pick<CliDeps, 'fetch'>, who: Credential, input: Input): Promise<void> {
  const { terminal, local } = input
  const live = await liveNames(deps, who)
  if ('failure' in live) return terminal.note(`Not compared with what is live: ${live.failure}`)

  const difference = compareNames(local, live.names)
  const subject = live.version === null ? 'First deployment' : `Compared with deployment ${live.version}`
  if (isInSync(difference)) return terminal.line(`${subject}: the same ${counted(local.length)}.`)
  terminal.line(`${subject}:`)
  printDifference(terminal, difference)
}

type Live = { names: readonly string[]; version: number | null } | { failure: string }

async function liveNames(deps: Pick<CliDeps, 'fetch'>, who: Credential): Promise<Live> {
  try {
    const answer = await readStatus(deps, who)
    if (!answer.ok) return { failure: answer.refusal.message }
    return { names: answer.value.capabilities, version: answer.value.deployment?.version ?? null }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

function counted(count: number): string {
  return count === 1 ? '1 capability' : `${count} capabilities`
}
