import { performance } from 'node:perf_hooks'
import type { TurnWatchOptions } from './turn-watch.ts'

// Node 24 tells the time of one thread, earlier ones that of all: collections of the heap, and whatever is checked aside.
const usage = (process as { threadCpuUsage?: typeof process.cpuUsage }).threadCpuUsage ?? process.cpuUsage

/** What this process says of its own time. */
export const processTime: Pick<TurnWatchOptions, 'processorMs' | 'activeMs'> = {
  processorMs() {
    const { user, system } = usage()
    return (user + system) / 1_000
  },
  activeMs: () => performance.eventLoopUtilization().active,
}
