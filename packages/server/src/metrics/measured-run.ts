import type { Clock } from '../clock.ts'
import type { BatchName, Metrics } from './metrics.ts'

/** The same work on a batch, measured. */
export function measuredRun<In, Out>(
  { clock, metrics }: { clock: Clock; metrics: Metrics },
  name: BatchName,
  run: (items: In[]) => Promise<Out[]>,
): (items: In[]) => Promise<Out[]> {
  return async (items) => {
    const startedAt = clock.now()
    try {
      return await run(items)
    } catch (error) {
      metrics.databaseFailed(name)
      throw error
    } finally {
      metrics.batchEnded({ name, size: items.length, durationMs: Math.max(0, clock.now() - startedAt) })
    }
  }
}
