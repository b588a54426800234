import { limited } from '../errors.ts'

export interface HashLane {
  /** Runs `work`, which may take one place in the line. Once it has ended, that place is free again. */
  visit<T>(work: (place: HashPlace) => Promise<T>): Promise<T>
}

export interface HashPlace {
  /** Takes the place, unless that was done before. Refuses at once, with 429, where all are taken. */
  take(): void
  /** Takes the place and runs `hash` when its turn comes. Whoever has a place is not refused, however often it hashes. */
  run<T>(hash: () => Promise<T>): Promise<T>
}

/** A password's hash is dear on purpose, so few are made at once: what else the machine does must not wait for them. */
export function createHashLane({ parallel, waiting }: { parallel: number; waiting: number }): HashLane {
  let free = parallel + waiting
  const inTurn = createTurns(parallel)
  return {
    async visit(work) {
      let isTaken = false
      const take = () => {
        if (isTaken) return
        if (free === 0) throw limited('Too many people are signing in just now. Try again in a moment.', 1_000)
        free -= 1
        isTaken = true
      }
      const run = async <T>(hash: () => Promise<T>) => {
        take()
        return inTurn(hash)
      }
      try {
        return await work({ take, run })
      } finally {
        if (isTaken) free += 1
      }
    },
  }
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

function createTurns(parallel: number): InTurn {
  const queue: (() => void)[] = []
  let running = 0
  const enter = async () => {
    if (running < parallel) running += 1
    // The turn of whoever ends is handed over: nobody slips in between.
    else await new Promise<void>((resolve) => queue.push(resolve))
  }
  const leave = () => {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
