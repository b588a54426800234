import { createBatcher } from '../database/batch.ts'
import { outlast, type Pause } from '../database/outlast.ts'
import type { Deps } from '../deps.ts'
import { measuredRun } from '../metrics/measured-run.ts'
import { Stop } from '../stop-signal.ts'
import { type DispatchedCall, recordCalls } from './call-store.ts'

/** Where calls are written down before they leave: after a crash it is known which may have had an effect. */
export interface CallLog {
  /** False where the execution is no longer this node's to run: nothing was written, and the call must not be sent. */
  record(call: DispatchedCall): Promise<boolean>
  /** How many wait for their batch. */
  readonly depth: number
  /** From now on a database that is away is waited for a second at most: what is not written down is not sent. */
  hurry(): void
  drain(): Promise<void>
}

type CallLogDeps = Pick<Deps, 'db' | 'clock' | 'metrics'> & { nodeId: string; pause: Pause }

export function createCallLog(deps: CallLogDeps): CallLog {
  const late = new Stop()
  const batcher = createBatcher<DispatchedCall, boolean>({
    run: measuredRun(deps, 'calls', (calls: DispatchedCall[]) =>
      outlast(deps.pause, () => recordCalls(deps.db, calls, deps.nodeId), late),
    ),
  })
  return {
    record: (call) => batcher.submit(call),
    get depth() {
      return batcher.depth
    },
    hurry: () => late.abort(),
    drain: () => batcher.drain(),
  }
}
