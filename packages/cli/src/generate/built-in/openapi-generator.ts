import type { Generator, GeneratorContext } from '@svc/contract'
import { describeRuntime } from '../openapi/describe-runtime.ts'
import { publicInputs } from './public-inputs.ts'
import { toDocument } from './to-document.ts'
import { unknownRuntime } from './unknown-runtime.ts'

const FILE = 'openapi.json'

/** Writes an OpenAPI 3.1 document of the broker’s routes of this runtime, one for each capability. */
export const openapiGenerator: Generator = {
  name: 'openapi',
  inputs: publicInputs,
  generate(context) {
    const { runtimeId } = context
    return runtimeId === null ? [] : [{ path: FILE, contents: toDocument(describeRuntime({ ...context, runtimeId })) }]
  },
}

/** Why there is no OpenAPI document to write, or null. The reason does not keep a deployment from going on. */
export function openapiProblem(context: GeneratorContext): string | null {
  return openapiAwaitsRuntime(context) ? unknownRuntime(FILE) : null
}

export function openapiAwaitsRuntime({ runtimeId }: GeneratorContext): boolean {
  return runtimeId === null
}
