import { createBatcher } from '../database/batch.ts'
import type { Deps } from '../deps.ts'
import { type DispatchedCall, insertCalls } from './admission-store.ts'

/** Where calls are written down before they leave: after a crash it is known which may have had an effect. */
export interface CallLog {
  record(call: DispatchedCall): Promise<void>
  drain(): Promise<void>
}

export function createCallLog(deps: Pick<Deps, 'db'>): CallLog {
  const batcher = createBatcher<DispatchedCall, void>({
    async run(calls) {
      await insertCalls(deps.db, calls)
      return calls.map(() => undefined)
    },
  })
  return { record: (call) => batcher.submit(call), drain: () => batcher.drain() }
}
