/** Work that is begun again and again. */
export interface RepeatedWork {
  /** Begins a round now, too. */
  begin(): void
  /** Begins no more, and resolves when all that has begun has ended: nothing of it is left to meet a closed store. */
  stop(): Promise<void>
}

/** Begins `work` every so many milliseconds, whether or not the last round has ended. It must never reject. */
export function repeatWork(everyMs: number, work: () => Promise<void>): RepeatedWork {
  const underWay = new Set<Promise<void>>()
  let isStopped = false
  const begin = () => {
    if (isStopped) return
    const round = work().finally(() => underWay.delete(round))
    underWay.add(round)
  }
  const timer = setInterval(begin, everyMs)
  return {
    begin,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}
