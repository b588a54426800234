import { inspect } from 'node:util'

/** A value that shows itself as `[secret]` wherever it is printed, logged or serialised; `reveal()` is the one way to it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  /** How long the value is, in bytes of UTF-8: all that a bound needs to know of it. */
  get byteLength(): number {
    return Buffer.byteLength(this.#value)
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}

/** Wraps what may be absent. */
export function toSecret(value: string | undefined): Secret | undefined {
  return value === undefined ? undefined : new Secret(value)
}
