import { type PollDeps, type PollEnd, pollCapability } from '../client/poll-capability.ts'
import { type Exchange, withUntold, withWait } from './exchange.ts'
import type { UrlCheck } from './safe-url.ts'
import type { Output, Wait } from './snapshot.ts'
import { readSvcOutput } from './svc-output.ts'

interface WaitsDeps {
  poll: PollDeps
  checkUrl: UrlCheck
  exchanges(): readonly Exchange[]
  replace(exchange: Exchange): void
  newCallId(): string
  /** Called once a result that was waited for is among what the model has still to be told. */
  settled(): void
}

/** The waits of a conversation: which of its outputs are polled for. */
export interface Waits {
  /** Polls for every output that waits. */
  resume(): void
  suspend(): void
  /** Waits once more, as long again as the output had asked for. */
  begin(outputId: string): void
  cancel(outputId: string): void
}

// More at once would only spend the owner’s allowance faster.
const MOST_AT_ONCE = 5

export function createWaits(deps: WaitsDeps): Waits {
  const active = new Map<string, { key: string; controller: AbortController }>()
  const poll: PollDeps = { ...deps.poll, inTurn: oneAtATime() }
  let isSuspended = true

  function find(outputId: string): { exchange: Exchange; wait: Wait } | null {
    for (const exchange of deps.exchanges()) {
      const wait = exchange.answer.outputs.find(({ id }) => id === outputId)?.wait
      if (wait) return { exchange, wait }
    }
    return null
  }

  function set(outputId: string, change: Partial<Wait>): void {
    const found = find(outputId)
    if (found) deps.replace(withWait(found.exchange, outputId, { ...found.wait, ...change }))
  }

  function start({ id, wait }: Output): void {
    if (wait?.state !== 'waiting' || active.has(id) || active.size >= MOST_AT_ONCE) return
    const key = JSON.stringify([wait.pending.capability, wait.pending.input])
    // A second output that waits for the very same thing takes the place of the first.
    for (const [other, { key: otherKey }] of active) if (otherKey === key) cancel(other)
    const controller = new AbortController()
    active.set(id, { key, controller })
    void run(id, wait, controller.signal)
  }

  async function run(id: string, wait: Wait, signal: AbortSignal): Promise<void> {
    const { pending, deadlineAt } = wait
    const isSettled = (output: unknown) => readSvcOutput(output, deps.checkUrl).isSettled
    const end = await pollCapability(poll, { ...pending, deadlineAt, isSettled, signal }).catch((): PollEnd => EXPIRED)
    if (signal.aborted) return
    active.delete(id)
    if (end.type === 'settled') settle(id, end.output)
    else set(id, { state: end.type })
    resume()
  }

  // In one step, so that no reload finds it settled and the model without word of it.
  function settle(id: string, output: unknown): void {
    const found = find(id)
    if (!found) return
    const { exchange, wait } = found
    const told = { callId: deps.newCallId(), pending: wait.pending, output }
    deps.replace(withUntold(withWait(exchange, id, { ...wait, state: 'settled' }), told))
    deps.settled()
  }

  function resume(): void {
    isSuspended = false
    for (const { answer } of deps.exchanges()) for (const output of answer.outputs) start(output)
  }

  function cancel(outputId: string): void {
    active.get(outputId)?.controller.abort()
    active.delete(outputId)
    set(outputId, { state: 'cancelled' })
  }

  return {
    resume,
    suspend() {
      isSuspended = true
      for (const { controller } of active.values()) controller.abort()
      active.clear()
    },
    begin(outputId) {
      const found = find(outputId)
      if (!found || found.wait.state === 'waiting' || found.wait.state === 'settled') return
      set(outputId, { state: 'waiting', deadlineAt: deps.poll.clock.now() + found.wait.pending.timeoutMs })
      if (!isSuspended) resume()
    },
    cancel(outputId) {
      if (find(outputId)?.wait.state === 'waiting') cancel(outputId)
    },
  }
}

const EXPIRED: PollEnd = { type: 'expired' }

// One poll at a time, however many waits there are.
function oneAtATime(): <T>(ask: () => Promise<T>) => Promise<T> {
  let previous: Promise<unknown> = Promise.resolve()
  return (ask) => {
    const next = previous.then(ask)
    previous = next.catch(() => undefined)
    return next
  }
}
