import type { z } from 'zod'

const TIME_LIMIT_MS = 20_000

export interface JsonRequest {
  method?: 'GET' | 'POST' | 'PUT'
  /** A bearer credential. */
  key?: string
  body?: unknown
}

/** Sends JSON and reads JSON, and throws a sentence when the answer is not the expected one. */
export async function requestJson<T>(
  url: string,
  request: JsonRequest,
  expected: { status: number; schema: z.ZodType<T> },
): Promise<T> {
  const response = await send(url, request)
  const text = await response.text()
  if (response.status !== expected.status) {
    throw new Error(`${request.method ?? 'GET'} ${url} answered ${response.status}: ${text.slice(0, 500)}`)
  }
  return expected.schema.parse(JSON.parse(text))
}

/** Sends one request as JSON, with a time limit. */
export function send(url: string, request: JsonRequest, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: request.method ?? 'GET',
    headers: {
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...(request.key !== undefined && { authorization: `Bearer ${request.key}` }),
      ...headers,
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  })
}
