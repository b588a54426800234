import { dim, green, red } from '../terminal/piece.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { NameDifference } from './compare-names.ts'

/** Prints the names to be added and to be removed, and counts the others. */
export function printDifference(terminal: Terminal, { added, removed, unchanged }: NameDifference): void {
  for (const name of added) terminal.line(green(`  + ${name}`))
  for (const name of removed) terminal.line(red(`  - ${name}`))
  if (unchanged.length > 0) terminal.line(dim(`  = ${unchanged.length} unchanged`))
}
