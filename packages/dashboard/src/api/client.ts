import createClient from 'openapi-fetch'
import { ApiError, toApiError } from './api-error.ts'
import type { components, paths } from './schema.gen.ts'

/** The bodies of the API by their names. */
export type Schemas = components['schemas']

/** The public API, from this very origin; the session goes along as a cookie that no script can read. */
export const api = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin' })

interface Answer<Body> {
  data?: Body
  error?: unknown
  response: Response
}

/** The body of an answer. Throws an {@link ApiError} for a refusal, and for a service that does not answer. */
export async function bodyOf<Body>(asked: Promise<Answer<Body>>): Promise<Body> {
  const { data, error, response } = await asked.catch(() => {
    throw new ApiError({ code: 'unreachable', message: 'The service cannot be reached. Check your connection.' })
  })
  if (data === undefined) throw toApiError(response, error)
  return data
}
