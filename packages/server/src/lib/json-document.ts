import type { JsonObject } from '@svc/contract'

/** A JSON value with its text, which is written once and then measured, checked, stored, sent and answered as it stands. */
export class JsonDocument<T = unknown> {
  readonly text: string
  readonly #value: T | undefined

  /** `text` must be JSON. A value that is not given is parsed at each read. */
  constructor(text: string, value?: T) {
    this.text = text
    this.#value = value
  }

  /** `undefined` is written as null. */
  static of<T>(value: T | JsonDocument<T>): JsonDocument<T> {
    return value instanceof JsonDocument ? value : new JsonDocument(JSON.stringify(value ?? null), value)
  }

  /** In bytes of UTF-8. */
  get bytes(): number {
    return Buffer.byteLength(this.text)
  }

  get value(): T {
    return this.#value ?? JSON.parse(this.text)
  }

  toJSON(): T {
    return this.value
  }
}

export const EMPTY_OBJECT: JsonDocument<JsonObject> = JsonDocument.of({})
