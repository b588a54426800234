/** The service's bounds on what is under way at once. */
export interface InFlightLimits {
  executions: number
  heldBytes: number
}

/** What has no room: one more execution or more bytes; and whether the account's share or the whole service is full. */
export interface Shortage {
  of: 'executions' | 'bytes'
  scope: 'account' | 'service'
}

/** The account of requests that carry no credential: each network is one. */
export function strangersOf(network: string): string {
  return `${STRANGERS} ${network}`
}

const STRANGERS = 'strangers'

interface Share {
  executions: number
  bytes: number
}

const NOTHING: Readonly<Share> = { executions: 0, bytes: 0 }

/**
 * Counts executions and bytes in flight, of the service and of each account. An account may take more while what it holds
 * is less than what is free: one greedy account gets half at most, three leave a quarter for a fourth.
 */
export class InFlight {
  readonly #limits: InFlightLimits
  readonly #accounts = new Map<string, Share>()
  #executions = 0
  #bytes = 0

  constructor(limits: InFlightLimits) {
    this.#limits = limits
  }

  get executions(): number {
    return this.#executions
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Accounts that hold something. */
  get accounts(): number {
    return this.#accounts.size
  }

  executionsOf(accountId: string): number {
    return this.#shareOf(accountId).executions
  }

  /** Why the account may not begin one more execution; null where it may. */
  executionShortage(accountId: string): Shortage | null {
    const { executions } = this.#shareOf(accountId)
    if (executions < this.#limits.executions - this.#executions) return null
    return { of: 'executions', scope: executions === 0 ? 'service' : 'account' }
  }

  /** Why the account may not hold so many more bytes; null where it may. */
  byteShortage(accountId: string, more = 0): Shortage | null {
    const { bytes } = this.#shareOf(accountId)
    const free = this.#limits.heldBytes - this.#bytes
    if (bytes < free && more <= free) return null
    return { of: 'bytes', scope: bytes === 0 || accountId.startsWith(STRANGERS) ? 'service' : 'account' }
  }

  /** Counts, whether there is room or not. Negative numbers give back. */
  add(accountId: string, { executions = 0, bytes = 0 }: Partial<Share>): void {
    const held = this.#shareOf(accountId)
    const share = { executions: held.executions + executions, bytes: held.bytes + bytes }
    this.#executions += executions
    this.#bytes += bytes
    if (share.executions === 0 && share.bytes === 0) this.#accounts.delete(accountId)
    else this.#accounts.set(accountId, share)
  }

  #shareOf(accountId: string): Readonly<Share> {
    return this.#accounts.get(accountId) ?? NOTHING
  }
}

/**
 * The bytes that one request holds for its account: from the first of its body until its answer has left and the execution
 * that it became, if any, has ended.
 */
export class HeldBytes {
  readonly #inFlight: InFlight
  readonly #accountId: string
  #bytes = 0
  #holders = 1

  constructor(inFlight: InFlight, accountId: string) {
    this.#inFlight = inFlight
    this.#accountId = accountId
  }

  /** Takes more where there is room; otherwise nothing changes, and the shortage is returned. */
  grow(bytes: number): Shortage | null {
    const shortage = this.#inFlight.byteShortage(this.#accountId, bytes)
    if (shortage === null) this.take(bytes)
    return shortage
  }

  /** Holds so many bytes in place of what it held, judged as if it held nothing before; or changes nothing, as `grow`. */
  resize(bytes: number): Shortage | null {
    const held = this.#bytes
    this.take(-held)
    const shortage = this.#inFlight.byteShortage(this.#accountId, bytes)
    this.take(shortage === null ? bytes : held)
    return shortage
  }

  /** Takes what is in memory already. False where the account holds more than its share now. */
  take(bytes: number): boolean {
    if (this.#holders < 1) return true
    this.#bytes += bytes
    this.#inFlight.add(this.#accountId, { bytes })
    return this.#inFlight.byteShortage(this.#accountId) === null
  }

  /** Adds a holder, which releases the bytes, too. */
  retain(): this {
    this.#holders += 1
    return this
  }

  /** Gives everything back once each holder has released it; what is taken later is not counted. */
  release(): void {
    if (this.#holders === 1) this.take(-this.#bytes)
    this.#holders -= 1
  }
}
