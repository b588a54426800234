import { setTimeout } from 'node:timers/promises'

/** Resolves once it is so. Asks every 20 ms: asked without a pause, a server has no processor left to get there. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(20)
}
