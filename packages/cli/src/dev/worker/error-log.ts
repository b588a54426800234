import type { FailedCall } from '@svc/sdk'
import { parseJsonObject } from '../../parse-json.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { withoutToken } from '../../terminal/without-token.ts'
import { messageOf, stackOf } from '../../thrown.ts'

/** Prints what handlers throw, with its stack and without the end user’s token, which it follows by the call. */
export function createErrorLog(terminal: Pick<Terminal, 'writeErr'>) {
  // Requests may share an id, forged ones among them: each has its own token here until it is over.
  const following = new Set<{ readonly callId: string; readonly token: string }>()
  return {
    onError(error: unknown, call?: FailedCall): void {
      const tokens = [...following].filter(({ callId }) => callId === call?.callId)
      const words = tokens.reduce((left, { token }) => withoutToken(left, token), wordsOf(error, call !== undefined))
      terminal.writeErr(`${words}\n`)
    },
    /** Remembers the token of a request’s call until the function returned is called. */
    follow(body: Uint8Array): () => void {
      const { callId, endUserToken } = parseJsonObject(new TextDecoder().decode(body))
      if (typeof callId !== 'string' || typeof endUserToken !== 'string') return () => undefined
      const request = { callId, token: endUserToken }
      following.add(request)
      return () => void following.delete(request)
    },
  }
}

// Outside a call it is the SDK that speaks, and where in the SDK is of no use.
function wordsOf(error: unknown, isOfCall: boolean): string {
  return isOfCall ? stackOf(error) : messageOf(error)
}
