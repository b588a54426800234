import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Which processors the measured server has, and which the load, the upstream and the database have. */
export interface Placement {
  name: 'pinned' | 'free'
  servers: string
  rest: string
}

/** What is measured has one processor for itself, as many threads as it may have. */
export const PINNED: Placement = { name: 'pinned', servers: '0', rest: '1' }

/** Everything may run everywhere, as the kernel decides. */
export function freePlacement(): Placement {
  const all = `0-${availableParallelism() - 1}`
  return { name: 'free', servers: all, rest: all }
}

/** Throws where there are not two processors to tell apart. */
export function requireTwoProcessors(): void {
  if (availableParallelism() < 2) throw new Error('this scenario pins processes to two processors; there is one here')
}

/** Moves all threads of these processes, and what they start from now on. */
export async function pin(pids: readonly number[], processors: string): Promise<void> {
  for (const pid of pids) await run('taskset', ['-a', '-p', '-c', processors, String(pid)])
}
