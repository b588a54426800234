/** Work that is begun again and again. */
export interface RepeatedWork {
  /** Begins a round now, too. */
  begin(): void
  /** Begins no more, and resolves when all that has begun has ended: nothing of it is left to meet a closed store. */
  stop(): Promise<void>
}

interface Rhythm {
  /** From one round to the next, in milliseconds, whether or not the last one has ended. */
  everyMs: number
  /** After a round that failed another one comes as soon as this. None: with the next one's time. */
  retryMs?: number
}

/** Begins `work` again and again. It says whether it succeeded, and must never reject. */
export function repeatWork({ everyMs, retryMs }: Rhythm, work: () => Promise<boolean>): RepeatedWork {
  const underWay = new Set<Promise<void>>()
  let isStopped = false
  let retry: NodeJS.Timeout | undefined
  const begin = () => {
    if (isStopped) return
    // Rounds that overlap and fail alike are tried again once.
    clearTimeout(retry)
    const round = work().then((hasSucceeded) => {
      underWay.delete(round)
      if (hasSucceeded || retryMs === undefined || isStopped) return
      clearTimeout(retry)
      retry = setTimeout(begin, retryMs)
    })
    underWay.add(round)
  }
  const timer = setInterval(begin, everyMs)
  return {
    begin,
    async stop() {
      isStopped = true
      clearInterval(timer)
      clearTimeout(retry)
      await Promise.all(underWay)
    },
  }
}
