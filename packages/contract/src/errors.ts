import * as z from 'zod'

const ERROR_CODES = [
  'validation_error',
  'unauthorized',
  'forbidden',
  'not_found',
  'rate_limit_exceeded',
  'execution_error',
  'internal_error',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** Every error code of the interface and the HTTP status that it travels with. */
export const ERROR_STATUS = {
  validation_error: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  rate_limit_exceeded: 429,
  execution_error: 502,
  internal_error: 500,
} as const satisfies Record<ErrorCode, number>

/** Messages by dotted field path, `manifest.capabilities.0.name`; a fault of the whole body stands under `body`. */
export const FieldErrors = z
  .record(z.string(), z.array(z.string()))
  .describe(
    'Messages by dotted field path, `manifest.capabilities.0.name`; a fault of the whole body stands under `body`.',
  )
export type FieldErrors = z.infer<typeof FieldErrors>

/** The one error envelope. `details` stands on validation errors alone. */
export const ErrorBody = z
  .object({
    error: z.object({
      code: z.enum(ERROR_CODES),
      message: z.string(),
      details: z.object({ fieldErrors: FieldErrors }).optional(),
    }),
  })
  .describe('The one form of every refusal and fault.')
export type ErrorBody = z.infer<typeof ErrorBody>

/** What went wrong with a capability or an execution, in words that the caller may read. */
export const Failure = z.object({ message: z.string() }).describe('What went wrong, in words fit for whoever called.')
export type Failure = z.infer<typeof Failure>

/** Why a call failed, with a code where a page can do something about it. */
export const CallFailure = Failure.extend({
  code: z
    .enum(['end_user_required'])
    .optional()
    .describe('`end_user_required`: the endpoint refused the call before it ran, for want of an `endUserToken`.'),
})
export type CallFailure = z.infer<typeof CallFailure>
