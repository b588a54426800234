import { limited } from '../errors.ts'

export interface HashLane {
  /** Runs `work` when its turn comes. Refuses at once, with 429, where too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** A password's hash is dear on purpose, so few are made at once: what else the machine does must not wait for them. */
export function createHashLane({ parallel, waiting }: { parallel: number; waiting: number }): HashLane {
  const queue: (() => void)[] = []
  let running = 0
  const enter = async () => {
    if (running < parallel) {
      running += 1
      return
    }
    if (queue.length >= waiting) throw limited('Too many people are signing in just now. Try again in a moment.', 1_000)
    // The place of whoever leaves is handed over: nobody slips in between.
    await new Promise<void>((resolve) => queue.push(resolve))
  }
  const leave = () => {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
  return {
    async run(work) {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
