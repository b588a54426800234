import { performance } from 'node:perf_hooks'
import type { TurnWatchOptions } from './turn-watch.ts'

/** What this process says of its own time. */
export const processTime: Pick<TurnWatchOptions, 'processorMs' | 'activeMs'> = {
  processorMs() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  },
  activeMs: () => performance.eventLoopUtilization().active,
}
