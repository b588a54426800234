/** A request before it is bytes: nothing in it needs to be well-formed. Texts are bytes, one character each. */
export interface RawRequest {
  method: string
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer | null
}

/** The bytes of a request, with the length of its body unless it says one of its own. */
export function toBytes({ method, target, headers, body }: RawRequest): Buffer {
  const isFramed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name.trim()))
  const length = body === null || isFramed ? [] : [['content-length', String(body.length)] as const]
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  return body === null ? head : Buffer.concat([head, body])
}

/** A text as bytes of UTF-8, one character each, as a request line or a header carries it. */
export function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** A well-formed request with a JSON body, where it has one. */
export function jsonRequest(
  method: string,
  target: string,
  { key, body, headers = [] }: { key?: string; body?: unknown; headers?: RawRequest['headers'] } = {},
): RawRequest {
  return {
    method,
    target,
    headers: [
      ['host', '127.0.0.1'],
      ...(key === undefined ? [] : [['authorization', `Bearer ${key}`] as const]),
      ...(body === undefined ? [] : [['content-type', 'application/json'] as const]),
      ...headers,
    ],
    body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
  }
}
