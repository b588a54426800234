interface Timing {
  /** Between the starts of two runs, also while one takes longer. */
  everyMs: number
  /** After a failed run the next one starts this soon. */
  retryMs?: number
}

/** Runs `work` again and again. It returns whether it succeeded, and must not reject. */
export function repeatWork({ everyMs, retryMs }: Timing, work: () => Promise<boolean>) {
  const runs = new Set<Promise<void>>()
  let isStopped = false
  let retry: NodeJS.Timeout | undefined
  const begin = () => {
    if (isStopped) return
    // Concurrent runs that fail share one retry.
    clearTimeout(retry)
    const run = work().then((hasSucceeded) => {
      runs.delete(run)
      if (hasSucceeded || retryMs === undefined || isStopped) return
      clearTimeout(retry)
      retry = setTimeout(begin, retryMs)
    })
    runs.add(run)
  }
  const timer = setInterval(begin, everyMs)
  return {
    /** Begins a run now, besides those of the timer. */
    begin,
    /** Begins no more runs, and resolves when the current ones have ended. */
    async stop() {
      isStopped = true
      clearInterval(timer)
      clearTimeout(retry)
      await Promise.all(runs)
    },
  }
}
