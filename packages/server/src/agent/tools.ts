import { type FieldErrors, isJsonObject, type JsonObject } from '@svc/contract'
import type { JsonDocument } from '../lib/json-document.ts'
import type { ModelCall, ModelTool } from '../model/model.ts'

type Faults = FieldErrors | null

/** The capabilities that a model may call. */
export interface Toolset {
  tools: readonly ModelTool[]
  /** Undefined for an unknown capability. The check returns faults by dotted path, or null. */
  check(capability: string): ((input: JsonDocument<JsonObject>, root: string) => Faults | Promise<Faults>) | undefined
}

/** A call as the model asked for it, unchecked. */
export type RequestedCall = Omit<ModelCall, 'input'> & { input: JsonDocument }

/** The model's answer to a call past a limit. */
export const NOT_MADE =
  'The call was not made: this execution has made as many calls, or gathered as much output, as it may.'

/** Why a requested call is not made, as a sentence for the model, or null. Past the limit no input is checked. */
export async function toolCallProblem(
  toolset: Toolset,
  { name, input, problem }: RequestedCall,
  isPastLimit: boolean,
): Promise<string | null> {
  const check = toolset.check(name)
  if (!check) return `There is no capability named “${name.slice(0, 128)}”.`
  if (problem !== undefined) return problem
  if (!holdsObject(input)) return 'The input must be a JSON object.'
  if (isPastLimit) return NOT_MADE
  const faults = await check(input, 'input')
  if (faults === null) return null
  const list = Object.entries(faults).map(([field, messages]) => `${field} ${messages.join(' ')}`)
  return `The input does not fit the schema. ${list.join(' ')}`
}

export function holdsObject(document: JsonDocument): document is JsonDocument<JsonObject> {
  return isJsonObject(document.value)
}
