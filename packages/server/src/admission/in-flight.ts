export interface InFlightLimits {
  executions: number
  heldBytes: number
}

/** The resource that is short, executions or bytes, and whether the account's share or the whole service is full. */
export interface Shortage {
  of: 'executions' | 'bytes'
  scope: 'account' | 'service'
}

/** The accounts of requests without a credential. Sign-ins are apart, so that neither can keep out the other. */
export const ANONYMOUS = 'anonymous'
export const SIGN_INS = 'sign-ins'

/** The shared account of `<shared account> <network>`; null for an owner's account, whose id has no space. */
function sharedAccountOf(accountId: string): string | null {
  const space = accountId.indexOf(' ')
  return space === -1 ? null : accountId.slice(0, space)
}

interface Share {
  executions: number
  bytes: number
}

const NOTHING: Readonly<Share> = { executions: 0, bytes: 0 }

/**
 * Counts executions and bytes in flight, of the service and of each account. An account may take more while it holds less
 * than the free amount. One account gets half at most. Three full accounts leave a quarter.
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

  /** The number of accounts that hold something. */
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

  /** Why the account may not hold so many more bytes; null where it may. `given` are bytes that it gives back for them. */
  byteShortage(accountId: string, more = 0, given = 0): Shortage | null {
    const bytes = this.#shareOf(accountId).bytes - given
    const free = this.#limits.heldBytes - this.#bytes + given
    const shared = sharedAccountOf(accountId)
    // A network may take half of what its shared account may.
    const room = shared === null ? free : (free - this.#shareOf(shared).bytes + given) / 2
    if (bytes < room && more <= room) return null
    return { of: 'bytes', scope: bytes === 0 || shared !== null ? 'service' : 'account' }
  }

  /** Counts without a check. Negative numbers give back. */
  add(accountId: string, { executions = 0, bytes = 0 }: Partial<Share>): void {
    this.#executions += executions
    this.#bytes += bytes
    this.#addTo(accountId, executions, bytes)
    const shared = sharedAccountOf(accountId)
    if (shared !== null) this.#addTo(shared, executions, bytes)
  }

  #shareOf(accountId: string): Readonly<Share> {
    return this.#accounts.get(accountId) ?? NOTHING
  }

  #addTo(accountId: string, executions: number, bytes: number): void {
    const share = this.#accounts.get(accountId)
    if (!share) return void this.#accounts.set(accountId, { executions, bytes })
    share.executions += executions
    share.bytes += bytes
    if (share.executions === 0 && share.bytes === 0) this.#accounts.delete(accountId)
  }
}

/** Reserves memory for a payload before it is read from the store. Throws where there is none. */
export type Reserve = (bytes: number) => void

/** The bytes that a request holds for its account, until its answer was sent and its execution, if any, has ended. */
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

  /** Takes more. Where there is no room nothing changes, and the shortage is returned. */
  grow(bytes: number): Shortage | null {
    const shortage = this.#inFlight.byteShortage(this.#accountId, bytes)
    if (shortage === null) this.#count(bytes)
    return shortage
  }

  /** Holds so many bytes in place of those held before. Where there is no room nothing changes. */
  resize(bytes: number): Shortage | null {
    const shortage = this.#inFlight.byteShortage(this.#accountId, bytes, this.#bytes)
    if (shortage === null) this.#count(bytes - this.#bytes)
    return shortage
  }

  /** Moves the bytes to another account. Where that has no room, they are given back. */
  moveTo(accountId: string): Shortage | null {
    if (accountId === this.#accountId) return null
    const bytes = this.#bytes
    this.#count(-bytes)
    this.#accountId = accountId
    return this.grow(bytes)
  }

  /** Counts bytes that are in memory already. False where the account is past its share now. */
  take(bytes: number): boolean {
    this.#count(bytes)
    return this.#holders < 1 || this.#inFlight.byteShortage(this.#accountId) === null
  }

  /** Adds a holder, which must release, too. */
  retain(): this {
    this.#holders += 1
    return this
  }

  /** Gives everything back once each holder has released; later bytes are not counted. */
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
