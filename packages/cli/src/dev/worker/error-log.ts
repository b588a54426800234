import { isJsonObject } from '@svc/contract'
import type { FailedCall } from '@svc/sdk'
import type { Terminal } from '../../terminal/terminal.ts'
import { withoutToken } from '../without-token.ts'

/** Prints what handlers throw, with its stack and without the end user’s token, which it follows by the call. */
export function createErrorLog(terminal: Pick<Terminal, 'writeErr'>) {
  const tokens = new Map<string, string>()
  return {
    onError(error: unknown, call?: FailedCall): void {
      const token = call === undefined ? null : (tokens.get(call.callId) ?? null)
      terminal.writeErr(`${withoutToken(wordsOf(error, call !== undefined), token)}\n`)
    },
    /** Remembers the token of a request’s call until the function returned is called. */
    follow(body: Uint8Array): () => void {
      const { callId, endUserToken } = parsed(body)
      if (typeof callId !== 'string' || typeof endUserToken !== 'string') return () => undefined
      tokens.set(callId, endUserToken)
      return () => void tokens.delete(callId)
    },
  }
}

// Outside a call it is the SDK that speaks, and where in the SDK is of no use.
function wordsOf(error: unknown, isOfCall: boolean): string {
  if (!(error instanceof Error)) return String(error)
  return isOfCall ? (error.stack ?? error.message) : error.message
}

function parsed(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
