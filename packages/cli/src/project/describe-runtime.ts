import { relative } from 'node:path'
import type { Capability } from '@svc/contract'
import { describeCapabilities } from '@svc/sdk'
import type { CliDeps } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import type { RuntimeModule } from './discover-runtime.ts'

/** The runtime’s capabilities with their schemas as JSON Schema. */
export function describeRuntime(deps: Pick<CliDeps, 'cwd'>, { file, runtime }: RuntimeModule): Capability[] {
  try {
    return describeCapabilities(runtime)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw projectFailure(`${relative(deps.cwd, file)} cannot be described.`, message.split('\n'), error)
  }
}
