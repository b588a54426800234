import { changeSentence, compareDeployments, type DeploymentChange, type DeploymentView } from '@svc/contract'
import { dim, green, red, yellow } from '../terminal/piece.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The difference between a project and the live deployment; the first four fields name capabilities. */
export type Difference = {
  readonly added: string[]
  readonly removed: string[]
  readonly changed: string[]
  readonly unchanged: string[]
  readonly changes: readonly DeploymentChange[]
}

const NOTHING: DeploymentView = { capabilities: [] }

/** Compares a project with what is live; null is before the first deployment, to which every capability is new. */
export function differenceOf(live: DeploymentView | null, project: DeploymentView): Difference {
  const all = compareDeployments(live ?? NOTHING, project)
  const changes = live === null ? all.filter(({ of }) => of === 'capability') : all
  const named = (kind: DeploymentChange['kind']) => [
    ...new Set(changes.filter((change) => change.of === 'capability' && change.kind === kind).map(({ name }) => name)),
  ]
  const [added, removed, changed] = [named('added'), named('removed'), named('changed')]
  const touched = new Set([...added, ...changed])
  const unchanged = project.capabilities.map(({ name }) => name).filter((name) => !touched.has(name))
  return { added, removed, changed, unchanged, changes }
}

/** Prints each change in a line, and counts the capabilities without one. */
export function printDifference(terminal: Terminal, { changes, unchanged }: Difference): void {
  for (const change of changes) terminal.line(lineOf(change))
  if (unchanged.length > 0) terminal.line(dim(`  = ${unchanged.length} unchanged`))
}

function lineOf(change: DeploymentChange) {
  if (change.of === 'capability' && change.kind === 'added') return green(`  + ${change.name}`)
  if (change.of === 'capability' && change.kind === 'removed') return red(`  - ${change.name}, breaking`)
  return (change.breaking ? red : yellow)(`  ~ ${changeSentence(change)}`)
}
