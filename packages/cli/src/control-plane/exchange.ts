import type { CliDeps } from '../deps.ts'
import { notAControlPlane, unreachable } from './faults.ts'

export type ExchangeInput = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  /** An answer past this is not read on. */
  readonly maxBytes: number
}

/** What came back. Redirects are not followed: `location` is where one pointed, else null. */
export type Exchange = {
  readonly status: number
  readonly location: string | null
  readonly retryAfter: string | null
  readonly text: string
}

/** One request to the control plane, with any kind of key. No answer and an answer that is too long throw. */
export async function exchange(deps: Pick<CliDeps, 'fetch'>, baseUrl: string, input: ExchangeInput): Promise<Exchange> {
  try {
    const response = await deps.fetch(`${baseUrl}${input.path}`, {
      method: input.method,
      headers: { ...input.headers },
      body: input.body ?? null,
      redirect: 'manual',
      signal: AbortSignal.timeout(input.timeoutMs),
    })
    const isRedirect = response.status >= 300 && response.status < 400
    const text = await boundedText(response, input.maxBytes)
    if (text === null) throw new TooLong()
    return {
      status: response.status,
      location: isRedirect ? (response.headers.get('location') ?? 'another address') : null,
      retryAfter: response.headers.get('retry-after'),
      text,
    }
  } catch (error) {
    if (error instanceof TooLong) throw notAControlPlane(baseUrl, `its answer is longer than ${input.maxBytes} bytes`)
    throw unreachable(baseUrl, error, input.timeoutMs)
  }
}

class TooLong extends Error {}

async function boundedText(response: Response, maxBytes: number): Promise<string | null> {
  const decoder = new TextDecoder()
  let size = 0
  let text = ''
  // Leaving the loop early cancels the stream, and with it the download.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) return null
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
