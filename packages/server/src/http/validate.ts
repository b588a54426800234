import { type FieldErrors, fieldErrorsOf } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { invalid } from '../errors.ts'
import { isZod } from './typed.ts'

// A body of a megabyte can have half a million faults. The first hundred show the pattern.
const MAX_FAULTS = 100

/** Validates requests by the zod schemas of their routes. Those of answers are for the API's description alone. */
export function validateWithZod(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart = 'body' }) => {
    if (!isZod(schema)) throw new TypeError('a route’s schema must be a zod schema')
    // An absent query or body is an empty one: its required fields are then named one by one.
    return (value: unknown) => {
      try {
        const parsed = schema.safeParse(value ?? {})
        if (!parsed.success) return { error: invalid(firstFaults(parsed.error, httpPart)) }
        // Headers stay as they came: Fastify would merge validated ones into a new object at each access.
        return httpPart === 'headers' || { value: parsed.data }
      } catch (error) {
        // Zod passes issues on as arguments, and there can be more of them than the stack holds.
        if (!(error instanceof RangeError)) throw error
        return { error: invalid({ [httpPart]: ['holds more faults than can be listed.'] }) }
      }
    }
  })
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))
}

function firstFaults(error: z.ZodError, httpPart: string): FieldErrors {
  const faults = fieldErrorsOf(new z.ZodError(error.issues.slice(0, MAX_FAULTS)), httpPart)
  return Object.fromEntries(Object.entries(faults).slice(0, MAX_FAULTS))
}
