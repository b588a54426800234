import { isJsonObject, PROBE_CAPABILITY } from '@svc/contract'
import { parseJsonObject } from '../../parse-json.ts'
import { dim, green, type Piece, red } from '../../terminal/piece.ts'
import { withoutToken } from '../../terminal/without-token.ts'

const MAX_LENGTH = 300

type Call = {
  readonly request: Uint8Array
  readonly status: number
  readonly answer: Uint8Array
  readonly durationMs: number
}

/** One line about one call: which capability, how long, how it ended. Inputs, outputs and tokens are not in it. Null for a probe that was answered. */
export function callLine(call: Call): Piece[] | null {
  const request = parsed(call.request)
  const { error } = parsed(call.answer)
  const name = typeof request['capability'] === 'string' ? request['capability'] : 'unknown'
  if (name === PROBE_CAPABILITY && error === undefined) return null
  const token = typeof request['endUserToken'] === 'string' ? request['endUserToken'] : null
  const shown = (text: string) => withoutToken(text, token).slice(0, MAX_LENGTH)
  const end = error === undefined ? green('ok') : red(shown(verdictOf(call.status, error)))
  return [shown(name), '  ', dim(`${call.durationMs} ms`), '  ', end]
}

function verdictOf(status: number, error: unknown): string {
  if (status !== 200) return `refused: ${status} ${String(error)}`
  if (!isJsonObject(error)) return `failed: ${String(error)}`
  const code = typeof error['code'] === 'string' ? ` (${error['code']})` : ''
  return `failed${code}: ${String(error['message'])}`
}

function parsed(bytes: Uint8Array) {
  return parseJsonObject(new TextDecoder().decode(bytes))
}
