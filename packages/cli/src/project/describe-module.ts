import { relative } from 'node:path'
import type { Capability } from '@svc/contract'
import { describeCapabilities } from '@svc/sdk'
import type { CliDeps } from '../deps.ts'
import { projectFailure } from '../failures.ts'
import { messageOf } from '../thrown.ts'
import type { RuntimeModule } from './discover-runtime.ts'

/** The runtime’s capabilities with their schemas as JSON Schema. */
export function describeModule(deps: Pick<CliDeps, 'cwd'>, { file, runtime }: RuntimeModule): Capability[] {
  try {
    return describeCapabilities(runtime)
  } catch (error) {
    throw projectFailure(`${relative(deps.cwd, file)} cannot be described.`, messageOf(error).split('\n'), error)
  }
}
