import { createBatcher } from '../database/batch.ts'
import type { Deps } from '../deps.ts'
import { measuredRun } from '../metrics/measured-run.ts'
import { type DispatchedCall, insertCalls } from './admission-store.ts'

/** Where calls are written down before they leave: after a crash it is known which may have had an effect. */
export interface CallLog {
  record(call: DispatchedCall): Promise<void>
  /** How many wait for their batch. */
  readonly depth: number
  drain(): Promise<void>
}

export function createCallLog(deps: Pick<Deps, 'db' | 'clock' | 'metrics'>): CallLog {
  const batcher = createBatcher<DispatchedCall, void>({
    run: measuredRun(deps, 'calls', async (calls: DispatchedCall[]) => {
      await insertCalls(deps.db, calls)
      return calls.map(() => undefined)
    }),
  })
  return {
    record: (call) => batcher.submit(call),
    get depth() {
      return batcher.depth
    },
    drain: () => batcher.drain(),
  }
}
