import type { Feedback } from '@svc/contract'
import { ClientError } from '../client/client-error.ts'
import { type Clock, systemClock } from '../client/clock.ts'
import type { ExecutionStream } from '../client/execution-client.ts'
import type { ExecutionRun } from '../client/resumed-events.ts'
import { pageVisibility } from '../client/visibility.ts'
import { type Approvals, createApprovals, type Decision } from './approvals.ts'
import { attempt, load } from './attempt.ts'
import type { ConversationClient, ConversationOptions } from './conversation-options.ts'
import {
  askedExchange,
  type Exchange,
  ended,
  failed,
  heard,
  isElsewhere,
  rateable,
  rated,
  restarted,
  toldElsewhere,
  toldExchange,
  turnsOf,
} from './exchange.ts'
import { newId } from './new-id.ts'
import { problem, problemOf } from './problem.ts'
import { createUrlCheck } from './safe-url.ts'
import { sendRating } from './send-rating.ts'
import { createSignIns, returned, type SignInRequest, type SignIns } from './sign-in.ts'
import type { ConversationSnapshot } from './snapshot.ts'
import { type ConversationStorage, exchangesFrom, keysText, storedText } from './stored-conversation.ts'
import { loadRun, runText } from './stored-run.ts'
import { transcriptFor } from './transcript.ts'
import { createWaits, type Waits } from './waits.ts'

/** The messages and the running exchange, for any framework: `subscribe` and `getSnapshot` are those of React. */
export interface Conversation {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => ConversationSnapshot
  /** Asks. False, and nothing happens, while an answer is under way or when there is nothing to say. */
  send(text: string): boolean
  /** Ends the answer that is under way. */
  stop(): void
  /**
   * Asks the last question again after it failed or was stopped, and goes on from the results that came. What its answer
   * names in `mayRepeat` may be done once more. False where there is none.
   */
  retry(): boolean
  /** Goes on waiting for an output whose wait has ended without a result. */
  checkAgain(outputId: string): void
  cancelWait(outputId: string): void
  /** Approves or declines a call that waits for it. The model goes on once its result is there. */
  decide(approvalId: string, decision: Decision): void
  /** The end user wants to sign in for calls of the last answer, which stand in its `signIn`. Without a token, `onSignIn` hears of it. */
  signIn(): void
  /** Tells of end users who want to sign in: the page signs them in and then gives their token. Gives what ends that. */
  readonly onSignIn: (listener: (request: SignInRequest) => void) => () => void
  /**
   * For when the page gives a token: what was refused is asked for again, if `signIn` was called. Calls that gave a result
   * are not made again. False where there is nothing to go on with.
   */
  signedIn(): Promise<boolean>
  /** Says what the end user thinks of an answer that has `feedback`; null takes it back. */
  rate(answerId: string, value: Feedback | null): void
  /** Forgets everything, in the storage, too. */
  clear(): void
  /** Resumes, and gives what lets go again: once the last of those who hold it has let go, it is suspended. */
  hold(): () => void
  /** Stops the answer and all polls, for when nobody sees the conversation any more. */
  suspend(): void
  /** Takes up the polls again. */
  resume(): void
}

type Change = (now: Exchange) => Exchange

const LONGEST_QUESTION = 20_000

// Why an answer was ended that nobody had stopped.
const UNSEEN = 'Nobody sees the conversation any more.'

/** Starts with what is stored. Polls begin with the first `resume`; asking works before. */
export function createConversation(options: ConversationOptions): Conversation {
  return new StoredConversation(options)
}

class StoredConversation implements Conversation {
  readonly #client: ConversationClient
  readonly #clock: Clock
  readonly #storage: ConversationStorage | null
  readonly #runStorage: ConversationStorage | null
  readonly #approvalStorage: ConversationStorage | null
  readonly #newId: (prefix: string) => string
  readonly #checkUrl: (text: string) => string | null
  readonly #waits: Waits
  readonly #approvals: Approvals
  readonly #signIns: SignIns
  readonly #listeners = new Set<() => void>()
  #exchanges: readonly Exchange[]
  #snapshot: ConversationSnapshot
  #running: AbortController | null = null
  /** The run behind the answer that is under way, once it is known. */
  #run: ExecutionRun | null = null
  /** The same of an answer that an earlier page began, until it is resumed. */
  #left: { exchange: Exchange; run: ExecutionRun } | null = null
  #isSuspended = true
  #leaveStorage: (() => void) | undefined
  #holders = 0

  constructor(options: ConversationOptions) {
    const { client, clock = systemClock, visibility = pageVisibility } = options
    this.#client = client
    this.#clock = clock
    this.#storage = options.storage ?? null
    this.#runStorage = options.runStorage ?? null
    this.#approvalStorage = options.approvalStorage ?? null
    this.#newId = options.newId ?? newId
    this.#checkUrl = createUrlCheck(options.pageOrigin ?? null)
    const kept = {
      exchanges: () => this.#exchanges,
      replace: (exchange: Exchange) => this.#update(exchange.answer.id, () => exchange, true),
      settled: () => this.#tellNext(),
    }
    const poll = { client, clock, visibility }
    this.#waits = createWaits({ ...kept, poll, checkUrl: this.#checkUrl, newCallId: () => this.#newId('call') })
    this.#approvals = createApprovals({ ...kept, client, clock, visibility })
    this.#signIns = createSignIns({
      ...{ client, visibility, replace: kept.replace },
      keep: (text) => attempt(() => this.#runStorage?.save(text)),
      last: () => this.#exchanges.at(-1),
      isBusy: () => this.#isBusy,
      goOn: (exchange) => this.#restart(exchange),
    })
    const came = load(this.#runStorage)
    this.#exchanges = this.#stored().map((exchange) => returned(exchange, came))
    this.#findLeft()
    this.#snapshot = { turns: this.#exchanges.flatMap(turnsOf), isBusy: this.#isBusy }
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly getSnapshot = (): ConversationSnapshot => this.#snapshot

  send(text: string): boolean {
    const question = text.trim().slice(0, LONGEST_QUESTION)
    if (this.#isBusy || question === '') return false
    this.#add(askedExchange(this.#newId('turn'), question))
    return true
  }

  stop(): void {
    if (this.#left) this.#takeUp()
    this.#end()
  }

  retry(): boolean {
    const last = this.#exchanges.at(-1)
    if (this.#isBusy || last?.answer.state !== 'failed') return false
    this.#restart(restarted(last))
    return true
  }

  checkAgain(outputId: string): void {
    this.#waits.begin(outputId)
  }

  cancelWait(outputId: string): void {
    this.#waits.cancel(outputId)
  }

  signIn(): void {
    this.#signIns.ask()
  }

  readonly onSignIn = (listener: (request: SignInRequest) => void): (() => void) => this.#signIns.onAsked(listener)

  signedIn(): Promise<boolean> {
    return this.#signIns.check()
  }

  rate(answerId: string, value: Feedback | null): void {
    const find = () => this.#exchanges.find(({ answer }) => answer.id === answerId)
    const { run, answer: { feedback: before } = {} } = find() ?? {}
    if (!run || !before) return
    // The conversation itself is not saved: another tab may have gone on with it, or cleared it.
    const put = (shown: Feedback | null) => {
      this.#update(answerId, (now) => rated(now, shown), false)
      this.#saveKeys()
    }
    put(value)
    const send = async () => this.#client.rate?.(run, value)
    const shown = () => find()?.answer.feedback?.value
    sendRating({ value, clock: this.#clock, send, shown, takeBack: () => put(before.value) })
  }

  decide(approvalId: string, decision: Decision): void {
    this.#approvals.decide(approvalId, decision)
  }

  clear(): void {
    this.#waits.suspend()
    this.#approvals.suspend()
    this.#exchanges = []
    this.#end()
    this.#left = null
    this.#running = null
    this.#changed()
    attempt(() => this.#storage?.clear())
    attempt(() => this.#approvalStorage?.clear())
  }

  hold(): () => void {
    let isHeld = true
    this.#holders += 1
    this.resume()
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holders -= 1
      // An element that is only moved or drawn again holds it again before this runs.
      queueMicrotask(() => {
        if (this.#holders === 0) this.suspend()
      })
    }
  }

  suspend(): void {
    this.#isSuspended = true
    this.#leaveStorage?.()
    this.#leaveStorage = undefined
    this.#waits.suspend()
    this.#approvals.suspend()
    this.#signIns.suspend()
    if (this.#running) this.#end(UNSEEN)
  }

  resume(): void {
    this.#isSuspended = false
    this.#leaveStorage ??= this.#storage?.onChange?.(() => this.#adoptDecided())
    this.#goOn()
  }

  // What follows an answer happens only where somebody sees it.
  #goOn(): void {
    if (this.#isSuspended) return
    if (this.#left) this.#takeUpSoon()
    this.#waits.resume()
    this.#approvals.resume()
    this.#signIns.resume()
    this.#tellNext()
  }

  #add(exchange: Exchange): void {
    this.#exchanges = [...this.#exchanges, exchange]
    void this.#follow(exchange)
    this.#save()
  }

  // Stored at once: a page that goes away now must not find the earlier answer, and ask for all of it again.
  #restart(exchange: Exchange): void {
    this.#update(exchange.answer.id, () => exchange, true)
    void this.#follow(exchange)
  }

  get #isBusy(): boolean {
    return this.#running !== null || this.#left !== null
  }

  #stored(): readonly Exchange[] {
    const keys = load(this.#approvalStorage)
    return exchangesFrom(load(this.#storage), { checkUrl: this.#checkUrl, nowMs: this.#clock.now(), keys })
  }

  // Another tab has what this one cannot decide.
  #adoptDecided(): void {
    const stored = this.#stored()
    for (const now of this.#exchanges.filter(isElsewhere)) {
      const other = stored.find(({ answer }) => answer.id === now.answer.id)
      if (other && !isElsewhere(other)) this.#update(now.answer.id, () => toldElsewhere(other, stored), false)
    }
  }

  // An earlier page in this tab may have gone while an answer was under way.
  #findLeft(): void {
    const run = loadRun(this.#runStorage)
    const last = this.#exchanges.at(-1)
    if (!run || !last || last.answer.id !== run.answerId || last.answer.state !== 'failed' || !this.#client.resume)
      return
    const exchange = restarted(last)
    this.#exchanges = [...this.#exchanges.slice(0, -1), exchange]
    this.#left = { exchange, run }
  }

  // An element that gets its attributes one by one makes several conversations, and suspends all but the last in its turn.
  #takeUpSoon(): void {
    queueMicrotask(() =>
      queueMicrotask(() => {
        if (!this.#isSuspended) this.#takeUp()
      }),
    )
  }

  #takeUp(): void {
    const left = this.#left
    this.#left = null
    if (left) void this.#follow(left.exchange, left.run)
  }

  // To leave is not enough: the execution goes on without its caller.
  #end(reason?: string): void {
    this.#running?.abort(reason)
    const run = this.#run ?? this.#left?.run
    if (run) void this.#client.cancel?.(run).catch(() => undefined)
    this.#setRun(null)
  }

  #setRun(run: (ExecutionRun & { answerId: string }) | null): void {
    this.#run = run
    if (run) attempt(() => this.#runStorage?.save(runText(run)))
    else attempt(() => this.#runStorage?.clear())
  }

  async #follow(begun: Exchange, run: ExecutionRun | null = null): Promise<void> {
    const answerId = begun.answer.id
    this.#setRun(run && { ...run, answerId })
    const controller = new AbortController()
    this.#running = controller
    this.#changed()
    const earlier = this.#exchanges.slice(0, -1)
    const { signal } = controller
    const open = () =>
      run && this.#client.resume
        ? this.#client.resume(run, { signal })
        : this.#client.stream({ messages: transcriptFor(earlier, begun), signal })
    const end = await this.#answer(answerId, open, signal)
    // Cleared meanwhile: what came in belongs to nothing any more.
    if (this.#running !== controller) return
    this.#running = null
    this.#setRun(null)
    this.#update(answerId, end, true)
    this.#goOn()
  }

  // Gives what its end makes of the exchange. Each change is made to it as it then stands: its waits go on meanwhile.
  async #answer(id: string, open: () => Promise<ExecutionStream>, signal: AbortSignal): Promise<Change> {
    try {
      const { events } = await open()
      for await (const event of events) {
        if (event.type === 'execution' && !signal.aborted) this.#setRun({ ...event, answerId: id })
        if (event.type === 'done') {
          const reading = { checkUrl: this.#checkUrl, nowMs: this.#clock.now() }
          const run = this.#client.rate ? this.#run : null
          return (now) => rateable(ended(now, event, reading), run)
        }
        // A page that goes away now must know later what had been called.
        this.#update(id, (now) => heard(now, event), event.type === 'capability_start')
      }
      throw new ClientError('interrupted', 'The stream ended without “done”.')
    } catch (error) {
      const unseen = signal.reason === UNSEEN ? 'interrupted' : 'stopped'
      const reason = signal.aborted ? problem(unseen) : problemOf(error, this.#clock.now())
      return (now) => failed(now, reason)
    }
  }

  // A result that was waited for is told when the model is free to listen.
  #tellNext(): void {
    if (this.#isBusy || this.#isSuspended) return
    const from = this.#exchanges.find(({ untold }) => untold.length > 0)
    const [turns, ...untold] = from?.untold ?? []
    if (!from || !turns) return
    this.#exchanges = this.#exchanges.map((exchange) => (exchange === from ? { ...from, untold } : exchange))
    this.#add(toldExchange(this.#newId('turn'), turns))
  }

  #update(id: string, change: Change, isToSave: boolean): void {
    // Cleared meanwhile: it is not to be kept either.
    if (!this.#exchanges.some(({ answer }) => answer.id === id)) return
    this.#exchanges = this.#exchanges.map((now) => (now.answer.id === id ? change(now) : now))
    if (isToSave) this.#save()
    this.#changed()
  }

  #changed(): void {
    this.#snapshot = { turns: this.#exchanges.flatMap(turnsOf), isBusy: this.#isBusy }
    for (const listener of [...this.#listeners]) listener()
  }

  #save(): void {
    attempt(() => this.#storage?.save(storedText(this.#exchanges)))
    this.#saveKeys()
  }

  #saveKeys(): void {
    const keys = keysText(this.#exchanges)
    attempt(() => (keys === null ? this.#approvalStorage?.clear() : this.#approvalStorage?.save(keys)))
  }
}
