/** A JSON value as text: written once, then measured, stored, shown to the model and answered as it stands. */
export class JsonText {
  readonly text: string

  private constructor(text: string) {
    this.text = text
  }

  /** `undefined` is written as null. */
  static of(value: unknown): JsonText {
    return value instanceof JsonText ? value : new JsonText(JSON.stringify(value ?? null))
  }

  /** What somebody else wrote; it must be JSON. */
  static written(text: string): JsonText {
    return new JsonText(text)
  }

  /** In bytes of UTF-8. */
  get bytes(): number {
    return Buffer.byteLength(this.text)
  }

  /** Parsed anew at each call. */
  value(): unknown {
    return JSON.parse(this.text)
  }

  toJSON(): unknown {
    return this.value()
  }
}
