import { spawnSync } from 'node:child_process'

/** Whether a program is on this machine; it is run with the arguments, which should make it print its version. */
export function isInstalled(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0
}
