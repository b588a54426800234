import type { JsonDocument } from '../lib/json-document.ts'

/** How a capability call ended. A failure is a value: its message is fit for a model and for a stranger. */
export type CallResult =
  | {
      ok: true
      /** For the caller alone: as the endpoint answered. */
      output: JsonDocument
      /** For model and trace: without the end user's token. The same object where it holds none. */
      redacted: JsonDocument
      durationMs: number
    }
  | {
      ok: false
      message: string
      durationMs: number
      /** The call may have had an effect: bytes of it may have left, and no answer came that could be used. */
      isUnknown?: true
    }
