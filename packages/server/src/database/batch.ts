import { nextTurn } from '../next-turn.ts'
import { isOutage } from './errors.ts'

export interface BatcherOptions<In, Out> {
  /** Does all items or none, and answers in their order. Only one run is under way at a time. */
  run(items: In[]): Promise<Out[]>
  maxBatch?: number
  /** How many items may wait, beside those in the run under way. */
  maxQueued?: number
}

export interface Batcher<In, Out> {
  /** What `run` answered for this item. Rejects with a `QueueFullError`, or with what failed. */
  submit(item: In): Promise<Out>
  /** How many items wait for their run. */
  readonly depth: number
  /** Resolves when no item waits and no run is under way. */
  drain(): Promise<void>
}

export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'
}

interface Waiting<In, Out> {
  item: In
  resolve(answer: Out): void
  reject(error: unknown): void
}

type Outcome<Out> = { ok: true; answers: Out[] } | { ok: false; error: unknown }

type Run<In, Out> = (items: In[]) => Promise<Out[]>

/**
 * Batches while busy: what arrives during a run forms the next one, what arrives in the same turn of the event loop
 * goes together, and nothing ever waits for a timer. A run that fails is repeated item by item, so that a bad item
 * fails alone; where the database itself is out, all fail at once.
 */
export function createBatcher<In, Out>(options: BatcherOptions<In, Out>): Batcher<In, Out> {
  const { run, maxBatch = 512, maxQueued = 20_000 } = options
  const queue: Waiting<In, Out>[] = []
  let working: Promise<void> | undefined

  async function work(): Promise<void> {
    await nextTurn()
    while (queue.length > 0) {
      await settle(run, queue.splice(0, maxBatch))
    }
    working = undefined
  }

  return {
    submit(item) {
      if (queue.length >= maxQueued) return Promise.reject(new QueueFullError(`${maxQueued} items are waiting already`))
      return new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject })
        working ??= work()
      })
    },
    get depth() {
      return queue.length
    },
    async drain() {
      while (working !== undefined) await working
    },
  }
}

async function settle<In, Out>(run: Run<In, Out>, batch: Waiting<In, Out>[]): Promise<void> {
  const outcome = await attempt(run, batch)
  if (outcome.ok) return answer(batch, outcome.answers)
  if (batch.length === 1 || isOutage(outcome.error)) return refuse(batch, outcome.error)
  await settleOneByOne(run, batch)
}

async function settleOneByOne<In, Out>(run: Run<In, Out>, batch: Waiting<In, Out>[]): Promise<void> {
  for (const [index, waiting] of batch.entries()) {
    const outcome = await attempt(run, [waiting])
    if (outcome.ok) answer([waiting], outcome.answers)
    else if (isOutage(outcome.error)) return refuse(batch.slice(index), outcome.error)
    else waiting.reject(outcome.error)
  }
}

async function attempt<In, Out>(run: Run<In, Out>, batch: Waiting<In, Out>[]): Promise<Outcome<Out>> {
  try {
    return { ok: true, answers: await run(batch.map(({ item }) => item)) }
  } catch (error) {
    return { ok: false, error }
  }
}

/** A run that answers too few or too many has still done its work: it must not be repeated. */
function answer<In, Out>(batch: Waiting<In, Out>[], answers: Out[]): void {
  if (answers.length !== batch.length) {
    refuse(batch, new Error(`a run of ${batch.length} items gave ${answers.length} answers`))
    return
  }
  for (const [index, given] of answers.entries()) batch[index]?.resolve(given)
}

function refuse<In, Out>(batch: Waiting<In, Out>[], error: unknown): void {
  for (const waiting of batch) waiting.reject(error)
}
