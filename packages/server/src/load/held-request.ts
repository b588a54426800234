/** A request that was taken. */
export interface HeldRequest {
  /** While its sender has to send, or somebody else is at work for it, it keeps nobody out. */
  pause(): void
  resume(): void
  /** Once it is admitted or answered, whichever comes first; later calls do nothing. */
  leave(): void
  /** Once its caller hears the first of an answer, which may go on for long; later calls do nothing. */
  beginAnswer(): void
  /** Once nothing more is done for it. */
  end(): void
}

/** What whoever works for a request may do to its place; null where it has none. */
export type HeldPlace = Pick<HeldRequest, 'pause' | 'resume'> | null

/** Waits for what another thread or another host does. How many may wait for that is bounded there, and nowhere else. */
export async function waitAside<T>(held: HeldPlace, work: Promise<T>): Promise<T> {
  held?.pause()
  try {
    return await work
  } finally {
    held?.resume()
  }
}

/** What is counted of one request. */
export interface HeldCounts {
  /** Before it is held, or is no longer: how many were is summed up over time, up to that moment. */
  look(): void
  hold(change: 1 | -1): void
  /** Counted together with the time for which it was held until now. */
  handOn(): void
  answer(): void
}

/** The way of a request that is held already. */
export function holdRequest({ look, hold, handOn, answer }: HeldCounts): HeldRequest {
  let state: 'held' | 'paused' | 'left' = 'held'
  let isAnswered = false
  const leave = () => {
    if (state === 'left') return
    handOn()
    if (state === 'held') {
      look()
      hold(-1)
    }
    state = 'left'
  }
  // A stream fills the event loop for as long as it goes on, whoever else is let in.
  const beginAnswer = () => {
    if (isAnswered) return
    isAnswered = true
    answer()
  }
  return {
    pause() {
      if (state !== 'held') return
      look()
      state = 'paused'
      hold(-1)
    },
    resume() {
      if (state !== 'paused') return
      look()
      state = 'held'
      hold(1)
    },
    leave,
    beginAnswer,
    end() {
      leave()
      beginAnswer()
    },
  }
}
