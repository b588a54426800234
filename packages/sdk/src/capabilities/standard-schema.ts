// The interface of https://standardschema.dev, restated as far as it is used here: the package depends on no schema library.

/** A schema of any library that follows the Standard Schema interface, version 1. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>
}

/** A Standard Schema that can also be written as JSON Schema. */
export interface StandardJsonSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output> & { readonly jsonSchema: JsonSchemaConverter }
}

/** One fault of a value; `path` leads to it. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** What a schema takes. */
export type InferInput<Schema extends StandardSchemaV1> = NonNullable<Schema['~standard']['types']>['input']

/** What a schema makes of what it takes. */
export type InferOutput<Schema extends StandardSchemaV1> = NonNullable<Schema['~standard']['types']>['output']

/** True for a value that a library says is a schema, whether it can validate or not. */
export function isOfLibrary(value: unknown): value is { readonly '~standard': { readonly vendor?: unknown } } {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value))
    return false
  return typeof value['~standard'] === 'object' && value['~standard'] !== null
}

interface StandardProps<Input, Output> {
  readonly version: 1
  readonly vendor: string
  readonly types?: { readonly input: Input; readonly output: Output } | undefined
  // A method, so that a schema of some type is a schema of unknown.
  validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

interface JsonSchemaConverter {
  input(options: { readonly target: 'draft-2020-12' }): Record<string, unknown>
  output(options: { readonly target: 'draft-2020-12' }): Record<string, unknown>
}
