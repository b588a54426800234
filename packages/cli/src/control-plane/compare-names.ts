import type { Terminal } from '../terminal/terminal.ts'

export type NameDifference = { added: string[]; removed: string[]; unchanged: string[] }

/** What publishing the local names would change about the live ones. */
export function compareNames(local: readonly string[], live: readonly string[]): NameDifference {
  const localNames = new Set(local)
  const liveNames = new Set(live)
  return {
    added: local.filter((name) => !liveNames.has(name)),
    removed: live.filter((name) => !localNames.has(name)),
    unchanged: local.filter((name) => liveNames.has(name)),
  }
}

export function isInSync(difference: NameDifference): boolean {
  return difference.added.length === 0 && difference.removed.length === 0
}

/** Prints the names to be added and to be removed, and counts the others. */
export function printDifference(terminal: Terminal, difference: NameDifference): void {
  const { green, red, dim } = terminal.colors
  for (const name of difference.added) terminal.line(green(`  + ${name}`))
  for (const name of difference.removed) terminal.line(red(`  - ${name}`))
  if (difference.unchanged.length > 0) terminal.line(dim(`  = ${difference.unchanged.length} unchanged`))
}
