import { ClientError } from './client-error.ts'
import type { Clock } from './clock.ts'
import type { ExecutionApi } from './execution-api.ts'
import { readRefusal } from './read-refusal.ts'
import { unlessAborted } from './unless-aborted.ts'

export interface Sending {
  accept: string
  stopped: AbortSignal | undefined
  /** A service that sends no headers until then is taken as not there. */
  beginsWithinMs?: number
}

/** Sends a request to a path of the service. Throws {@link ClientError} where it is not answered with 2xx. */
export type Send = (path: string, init: RequestInit, sending: Sending) => Promise<Response>

export async function sendRequest(
  url: string,
  init: RequestInit,
  given: Sending & { clock: Clock; api: ExecutionApi; fetch: typeof fetch },
): Promise<Response> {
  const { accept, stopped, beginsWithinMs, clock, api } = given
  const late = new AbortController()
  const signal = AbortSignal.any([late.signal, ...(stopped ? [stopped] : [])])
  const callOff = beginsWithinMs === undefined ? null : clock.after(beginsWithinMs, () => late.abort())
  const send = given.fetch
  const sent = send(url, {
    ...init,
    headers: { ...api.headers, ...init.headers, accept },
    credentials: api.credentials,
    cache: init.cache ?? 'no-store',
    redirect: 'error',
    signal,
  })
  const response = await unlessAborted(sent, signal)
    .catch((cause: unknown) => {
      stopped?.throwIfAborted()
      throw new ClientError('unreachable', 'The service cannot be reached.', { cause })
    })
    .finally(() => callOff?.())
  if (!response.ok) throw await readRefusal(response, clock.now())
  return response
}

/** Throws for an answer of 2xx that is none of the service’s. */
export function refuse(response: Response): never {
  const requestId = response.headers.get('x-request-id')
  throw new ClientError('malformed', 'The service sent an answer that is not understood.', {
    status: response.status,
    requestId,
  })
}
