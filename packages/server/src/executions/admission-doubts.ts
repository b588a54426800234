import { isDataFault } from '../database/errors.ts'
import type { Deps } from '../deps.ts'
import { type AdmissionRequest, wasAdmitted } from './admission-store.ts'
import { KeptList } from './kept-list.ts'
import { failOwn } from './lease-store.ts'

/**
 * Admissions of one transaction that may have taken place, although their callers heard of a failure: its commit was not
 * answered, and the database could not be asked either.
 */
export interface AdmissionDoubts {
  keep(batch: readonly AdmissionRequest[]): void
  /** Fails those that took place. What cannot be found out yet is kept. Joins the resolving that is under way. */
  resolve(): Promise<void>
  /** How many admissions are kept. */
  readonly size: number
}

type DoubtDeps = Pick<Deps, 'db' | 'clock' | 'logger'> & { nodeId: string }

// What finds no place here is failed by the sweep, once it is overdue.
const MAX_BATCHES = 1_000

export function createAdmissionDoubts(deps: DoubtDeps): AdmissionDoubts {
  const waiting = new KeptList<readonly AdmissionRequest[]>(MAX_BATCHES, () => {
    deps.logger.warn({ kept: MAX_BATCHES }, 'more admissions in doubt wait for the database than can be kept')
  })
  let underWay: Promise<void> | null = null
  const resolveAll = async () => {
    for (let [batch] = waiting.items; batch; [batch] = waiting.items) {
      try {
        await failAdmitted(deps, batch)
      } catch (error) {
        // It would be refused for ever, and the others wait. What was let in is failed by the sweep, once it is overdue.
        if (isDataFault(error)) deps.logger.error({ err: error }, 'executions that may have been let in were given up')
        else {
          deps.logger.warn({ err: error }, 'it is not yet known which executions were let in')
          return
        }
      }
      waiting.removeFirst()
    }
  }
  return {
    keep: (batch) => waiting.add(batch),
    get size() {
      return waiting.items.reduce((sum, batch) => sum + batch.length, 0)
    },
    resolve() {
      underWay ??= resolveAll().finally(() => {
        underWay = null
      })
      return underWay
    },
  }
}

// They were written in one transaction: all of them, or none.
async function failAdmitted({ db, clock, nodeId }: DoubtDeps, batch: readonly AdmissionRequest[]): Promise<void> {
  const [first] = batch
  if (!first || !(await wasAdmitted(db, first, nodeId))) return
  const executionIds = batch.map(({ execution }) => execution.executionId)
  await failOwn(db, executionIds, { nodeId, now: clock.now() })
}
