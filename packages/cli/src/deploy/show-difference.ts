import { changeSentence, type DeploymentView, removalWarnings } from '@svc/contract'
import { type Difference as Changes, differenceOf, printDifference } from '../control-plane/difference.ts'
import { endpointWarnings } from '../control-plane/endpoint-warnings.ts'
import { projectFailure } from '../failures.ts'
import { countedCapabilities } from '../terminal/counted-capabilities.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { Live } from './look-up-live.ts'

export type Difference = Changes & {
  /** The deployment that the project was compared with; null before the first one. */
  readonly comparedWith: number | null
}

/** Prints what the deployment would change, and returns it; null where what is live is not known. */
export function showDifference(terminal: Terminal, live: Live, project: DeploymentView): Difference | null {
  const serving = live.ok ? live.serving : live
  if (!live.ok || !serving.ok) {
    terminal.note(`Not compared with what is live: ${serving.ok ? '' : serving.reason}`)
    return null
  }
  const comparedWith = live.status.deployment?.version ?? null
  const difference = differenceOf(serving.view, project)
  const subject = comparedWith === null ? 'First deployment' : `Compared with deployment ${comparedWith}`
  if (difference.changes.length === 0) {
    terminal.line(`${subject}: identical, ${countedCapabilities(project.capabilities.length)}.`)
  } else {
    terminal.line(`${subject}:`)
    printDifference(terminal, difference)
  }
  return { comparedWith, ...difference }
}

/** The warnings that the control plane would give, were the project deployed. */
export function expectedWarnings(live: Live, project: DeploymentView): string[] {
  if (!live.ok) return []
  const { serving, status } = live
  const removals = serving.ok && serving.view ? removalWarnings(serving.view, project) : []
  // Of a new endpoint nothing is known yet.
  const endpoint = project.endpoint ?? status.endpoint
  const healthNote = endpoint === status.endpoint ? status.healthNote : null
  const capabilities = project.capabilities.map(({ name }) => name)
  return [...removals, ...endpointWarnings({ endpoint, healthNote, capabilities })]
}

/** Ends a deployment that nobody watches where callers of the live one may fail with it. */
export function refuseBreaking(difference: Difference | null): void {
  const breaking = difference?.changes.filter((change) => change.breaking) ?? []
  if (breaking.length === 0) return
  throw projectFailure('This deployment would break callers, and nobody is at a terminal to see it.', [
    ...breaking.slice(0, MAX_TOLD).map(changeSentence),
    ...(breaking.length > MAX_TOLD ? [`and ${breaking.length - MAX_TOLD} more`] : []),
    'Change it so that earlier callers are served, or say --allow-breaking. Nothing was published.',
  ])
}

const MAX_TOLD = 20
