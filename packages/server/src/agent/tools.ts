import { type FieldErrors, isJsonObject, type JsonObject } from '@svc/contract'
import type { ModelCall, ModelTool } from '../model/model.ts'

type Faults = FieldErrors | null

/** The capabilities that a model may ask for. */
export interface Toolset {
  tools: readonly ModelTool[]
  /** Faults of an input by dotted path, or null when it fits; undefined for a capability that cannot be called. */
  check(capability: string): ((input: JsonObject, root: string) => Faults | Promise<Faults>) | undefined
}

/** What a model is told of a call that is one too many. */
export const NOT_MADE =
  'The call was not made: this execution has made as many calls, or gathered as much output, as it may.'

/**
 * Why a call that a model asked for is not made, as a sentence for the model; null when it may be. The input of one that
 * is one too many is not checked.
 */
export async function toolCallProblem(
  toolset: Toolset,
  { name, input, problem }: Pick<ModelCall, 'name' | 'input' | 'problem'>,
  isTooMany: boolean,
): Promise<string | null> {
  const check = toolset.check(name)
  if (!check) return `There is no capability named “${name.slice(0, 128)}”.`
  if (problem !== undefined) return problem
  if (!isJsonObject(input)) return 'The input must be a JSON object.'
  if (isTooMany) return NOT_MADE
  const faults = await check(input, 'input')
  return faults && `The input does not fit the schema. ${listed(faults)}`
}

function listed(faults: FieldErrors): string {
  return Object.entries(faults)
    .map(([field, messages]) => `${field} ${messages.join(' ')}`)
    .join(' ')
}
