import { type FieldErrors, fieldErrorsOf } from '@svc/contract'
import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'
import { type ZodType, z } from 'zod'
import { type AppError, invalid } from '../errors.ts'

// A body of a megabyte can hold half a million faults; whoever mends the first hundred has seen the pattern.
const MAX_FAULTS = 100

/**
 * Judges requests by their zod schemas, and names each failing field in the one error envelope. Responses are typed and
 * described by theirs, and sent as they are.
 */
export function validateWithZod(app: FastifyInstance): void {
  const compile: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
    const expected = asZod(schema)
    // An absent query or body is an empty one; what is required of it is then named field by field.
    return (value) => judge(expected, value ?? {}, httpPart ?? 'body')
  }
  app.setValidatorCompiler(compile)
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))
}

function judge(expected: ZodType, value: unknown, httpPart: string): { value: unknown } | { error: AppError } {
  try {
    const parsed = expected.safeParse(value)
    return parsed.success ? { value: parsed.data } : { error: invalid(firstFaults(parsed.error, httpPart)) }
  } catch (error) {
    // Zod hands a list of faults on as arguments, and there can be more of them than the stack holds.
    if (!(error instanceof RangeError)) throw error
    return { error: invalid({ [httpPart]: ['holds more faults than can be listed.'] }) }
  }
}

function firstFaults(error: z.ZodError, httpPart: string): FieldErrors {
  const faults = fieldErrorsOf(new z.ZodError(error.issues.slice(0, MAX_FAULTS)), httpPart)
  return Object.fromEntries(Object.entries(faults).slice(0, MAX_FAULTS))
}

function asZod(schema: unknown): ZodType {
  if (schema instanceof z.ZodType) return schema
  throw new TypeError('a route’s schema must be a zod schema')
}
