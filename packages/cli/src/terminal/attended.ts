import type { CliDeps, Environment } from '../deps.ts'

/** Whether the tool runs in a pipeline, which sets `CI`. */
export function isPipeline(env: Environment): boolean {
  return env['CI'] !== undefined && !['', '0', 'false'].includes(env['CI'])
}

/** Whether a person sits at a terminal and reads what the tool says. */
export function isAttended({ stdin, stderr, env }: Pick<CliDeps, 'stdin' | 'stderr' | 'env'>): boolean {
  return stdin?.isTTY === true && stderr.isTTY === true && !isPipeline(env)
}
