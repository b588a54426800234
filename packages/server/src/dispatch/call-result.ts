import type { CallFailure } from '@svc/contract'
import type { JsonDocument } from '../lib/json-document.ts'

/** How a capability call ended. A failure is a value: its message is fit for a model and for an anonymous caller. */
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
      code?: CallFailure['code']
      durationMs: number
      /** Since when it is unknown whether the call had an effect: bytes of it may have left, and no usable answer came. */
      unknownAt?: number
    }
