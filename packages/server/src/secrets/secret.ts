import { hash } from 'node:crypto'
import { inspect } from 'node:util'

/** A value that prints, logs and serializes as `[secret]`; only `reveal()` returns it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  /** SHA-256, hex. The digest of a short value can be reversed, so it is as secret as the value. */
  digest(): string {
    return hash('sha256', this.#value)
  }

  /** In bytes of UTF-8. */
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

export function toSecret(value: string | undefined): Secret | undefined {
  return value === undefined ? undefined : new Secret(value)
}
