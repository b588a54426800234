import type { RawBodyProblem } from './raw-body-required.ts'

/** Bodies past this many bytes are refused unread. The control plane’s own calls stay below 1.1 MiB by default. */
export const DEFAULT_MAX_BODY_BYTES = 2 * 1024 * 1024

export type BodyReading =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly refusal: 'body_too_large' }
  | { readonly ok: false; readonly refusal: 'raw_body_required'; readonly problem: RawBodyProblem }

/** A request’s body as it came over the wire, or why it cannot be had. */
export async function readBody(request: Request, maxBytes: number): Promise<BodyReading> {
  if (request.bodyUsed || request.body?.locked) return unreadable('read')
  if (request.body === null) return { ok: true, bytes: new Uint8Array() }
  if (Number(request.headers.get('content-length')) > maxBytes) return { ok: false, refusal: 'body_too_large' }
  try {
    return await readStream(request.body, maxBytes)
  } catch {
    // Then nobody waits for the answer.
    return unreadable('cut')
  }
}

async function readStream(stream: NonNullable<Request['body']>, maxBytes: number): Promise<BodyReading> {
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  while (true) {
    const { done, value }: { done: boolean; value?: unknown } = await reader.read()
    if (done) return { ok: true, bytes: joined(chunks, size) }
    if (!(value instanceof Uint8Array)) return unreadable('text')
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

function unreadable(problem: RawBodyProblem): BodyReading {
  return { ok: false, refusal: 'raw_body_required', problem }
}
