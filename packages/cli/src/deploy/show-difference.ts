import { compareNames, isInSync, type NameDifference } from '../control-plane/compare-names.ts'
import { printDifference } from '../control-plane/print-difference.ts'
import { countedCapabilities } from '../terminal/counted-capabilities.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Live } from './look-up-live.ts'

export type Difference = NameDifference & {
  /** The deployment that the names were compared with; null before the first one. */
  readonly comparedWith: number | null
}

/** Prints what the deployment would change, and returns it; null where what is live is not known. */
export function showDifference(terminal: Terminal, live: Live, local: readonly string[]): Difference | null {
  if (!live.ok) {
    terminal.note(`Not compared with what is live: ${live.reason}`)
    return null
  }
  const { capabilities, deployment } = live.status
  const difference = compareNames(local, capabilities)
  const comparedWith = deployment?.version ?? null
  const subject = comparedWith === null ? 'First deployment' : `Compared with deployment ${comparedWith}`
  if (isInSync(difference)) {
    terminal.line(`${subject}: the same ${countedCapabilities(local.length)}.`)
  } else {
    terminal.line(`${subject}:`)
    printDifference(terminal, difference)
  }
  return { comparedWith, ...difference }
}

/** One sentence for each live capability that would be gone without anybody having been told. */
export function unannouncedRemovals(live: Live, difference: Difference | null): string[] {
  if (!live.ok || difference === null) return []
  const announced = new Set(live.status.deprecated.map(({ name }) => name))
  return difference.removed
    .filter((name) => !announced.has(name))
    .map(
      (name) => `“${name}” is live and was never marked deprecated: without it, whoever stored its address gets 404.`,
    )
}
