import { type FieldErrors, isJsonObject, type JsonObject } from '@svc/contract'
import type { ModelTool } from '../model/model.ts'

type Faults = FieldErrors | null

/** The capabilities that a model may ask for. */
export interface Toolset {
  tools: readonly ModelTool[]
  /** Faults of an input by dotted path, or null when it fits; undefined for a capability that cannot be called. */
  check(capability: string): ((input: JsonObject, root: string) => Faults | Promise<Faults>) | undefined
}

/** Why a call that a model asked for is not made, as a sentence for the model; null when it may be. */
export async function toolCallProblem(toolset: Toolset, name: string, input: unknown): Promise<string | null> {
  const check = toolset.check(name)
  if (!check) return `There is no capability named “${name.slice(0, 128)}”.`
  if (!isJsonObject(input)) return 'The input must be a JSON object.'
  const faults = await check(input, 'input')
  return faults && `The input does not fit the schema. ${listed(faults)}`
}

function listed(faults: FieldErrors): string {
  return Object.entries(faults)
    .map(([field, messages]) => `${field} ${messages.join(' ')}`)
    .join(' ')
}
