import type { JsonObject } from '@svc/contract'

export { takeTurn } from './take-turn.ts'

/** A capability as the model sees it. Without a schema it takes no parameters. */
export interface Tool {
  name: string
  description: string
  inputSchema: JsonObject | null
}

/** The model says something, or calls one tool. */
export type Turn = { type: 'say'; text: string } | { type: 'call'; name: string; input: JsonObject }
