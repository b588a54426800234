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

/** The account of all requests that carry no credential, but for those that sign in: neither is to keep out the other. */
export const STRANGERS = 'strangers'
export const SIGN_INS = 'sign-ins'

/** The part of such an account that one network has. */
export function partOf(shared: typeof STRANGERS | typeof SIGN_INS, network: string): string {
  return `${shared} ${network}`
}

/** The account that a network has a part of; null of an owner’s account, whose id has no space. */
function wholeOf(accountId: string): string | null {
  const space = accountId.indexOf(' ')
  return space === -1 ? null : accountId.slice(0, space)
}

interface Share {
  executions: number
  bytes: number
}

/**
 * Counts executions and bytes in flight, of the service and of each account. An account may take more while what it holds
 * is less than what is free: one greedy account gets half at most, three leave a quarter for a fourth. Strangers share
 * one account by the same rule, and sign-ins another.
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
    return this.#accounts.get(accountId)?.executions ?? 0
  }

  /** Why the account may not begin one more execution; null where it may. */
  executionShortage(accountId: string): Shortage | null {
    const executions = this.executionsOf(accountId)
    if (executions < this.#limits.executions - this.#executions) return null
    return { of: 'executions', scope: executions === 0 ? 'service' : 'account' }
  }

  /** Why the account may not hold so many more bytes; null where it may. `given` are bytes that it would give back for them. */
  byteShortage(accountId: string, more = 0, given = 0): Shortage | null {
    const bytes = this.#bytesOf(accountId) - given
    const free = this.#limits.heldBytes - this.#bytes + given
    const whole = wholeOf(accountId)
    // Of a network, what all of them may take until they hold as much as is free.
    const room = whole === null ? free : (free - this.#bytesOf(whole) + given) / 2
    if (bytes < room && more <= room) return null
    return { of: 'bytes', scope: bytes === 0 || whole !== null ? 'service' : 'account' }
  }

  #bytesOf(accountId: string): number {
    return this.#accounts.get(accountId)?.bytes ?? 0
  }

  /** Counts, whether there is room or not. Negative numbers give back. */
  add(accountId: string, { executions = 0, bytes = 0 }: Partial<Share>): void {
    this.#executions += executions
    this.#bytes += bytes
    this.#addTo(accountId, executions, bytes)
    const whole = wholeOf(accountId)
    if (whole !== null) this.#addTo(whole, executions, bytes)
  }

  #addTo(accountId: string, executions: number, bytes: number): void {
    const share = this.#accounts.get(accountId) ?? { executions: 0, bytes: 0 }
    share.executions += executions
    share.bytes += bytes
    if (share.executions === 0 && share.bytes === 0) this.#accounts.delete(accountId)
    else this.#accounts.set(accountId, share)
  }
}

/** Takes room for a payload of so many bytes before it is read from the store. Throws where there is none. */
export type Reserve = (bytes: number) => void

/**
 * The bytes that one request holds for its account: from the first of its body until its answer has left and the execution
 * that it became, if any, has ended.
 */
export class HeldBytes {
  readonly #inFlight: InFlight
  #accountId: string
  #bytes = 0
  #holders = 1

  constructor(inFlight: InFlight, accountId: string) {
    this.#inFlight = inFlight
    this.#accountId = accountId
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Takes more where there is room; otherwise nothing changes, and the shortage is returned. */
  grow(bytes: number): Shortage | null {
    const shortage = this.#inFlight.byteShortage(this.#accountId, bytes)
    if (shortage === null) this.#count(bytes)
    return shortage
  }

  /** Holds so many bytes in place of what it held, judged as if it held nothing before; or changes nothing, as `grow`. */
  resize(bytes: number): Shortage | null {
    const shortage = this.#inFlight.byteShortage(this.#accountId, bytes, this.#bytes)
    if (shortage === null) this.#count(bytes - this.#bytes)
    return shortage
  }

  /** Holds the same for another account from now on. Where that has no room: nothing, and the shortage is returned. */
  moveTo(accountId: string): Shortage | null {
    if (accountId === this.#accountId) return null
    const bytes = this.#bytes
    this.#count(-bytes)
    this.#accountId = accountId
    return this.grow(bytes)
  }

  /** Takes what is in memory already. False where the account holds more than its share now. */
  take(bytes: number): boolean {
    this.#count(bytes)
    return this.#holders < 1 || this.#inFlight.byteShortage(this.#accountId) === null
  }

  /** Adds a holder, which releases the bytes, too. */
  retain(): this {
    this.#holders += 1
    return this
  }

  /** Gives everything back once each holder has released it; what is taken later is not counted. */
  release(): void {
    if (this.#holders === 1) this.#count(-this.#bytes)
    this.#holders -= 1
  }

  #count(bytes: number): void {
    if (this.#holders < 1 || bytes === 0) return
    this.#bytes += bytes
    this.#inFlight.add(this.#accountId, { bytes })
  }
}
