/** Bodies past this many bytes are refused unread. The control plane’s own calls stay below 1.1 MiB by default. */
export const DEFAULT_MAX_BODY_BYTES = 2 * 1024 * 1024

export type BodyReading =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly refusal: 'raw_body_required' | 'body_too_large' }

/** A request’s body as it came over the wire, or why it cannot be had. */
export async function readBody(request: Request, maxBytes: number): Promise<BodyReading> {
  if (request.bodyUsed) return { ok: false, refusal: 'raw_body_required' }
  if (request.body === null) return { ok: true, bytes: new Uint8Array() }
  try {
    return await readStream(request.body, maxBytes)
  } catch {
    // The stream is somebody else’s, or was cut off: then nobody waits for the answer.
    return { ok: false, refusal: 'raw_body_required' }
  }
}

async function readStream(stream: NonNullable<Request['body']>, maxBytes: number): Promise<BodyReading> {
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  while (true) {
    const { done, value }: { done: boolean; value?: unknown } = await reader.read()
    if (done) return { ok: true, bytes: joined(chunks, size) }
    if (!(value instanceof Uint8Array)) return { ok: false, refusal: 'raw_body_required' }
    size += value.byteLength
    if (size > maxBytes) {
      await reader.cancel()
      return { ok: false, refusal: 'body_too_large' }
    }
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
