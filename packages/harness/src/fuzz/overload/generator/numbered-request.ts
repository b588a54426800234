const ID_LENGTH = 16
const ID_NAME = 'x-request-id: '

/** A request that is sent many times, each time under an id of its own, by which its answer is known. */
export interface NumberedRequest {
  readonly bytes: Buffer
  readonly idAt: number
}

/** Makes room for an id in a request, as the first of its headers. */
export function toNumbered(request: string): NumberedRequest {
  const lineEnd = request.indexOf('\r\n') + 2
  const header = `${ID_NAME}${idOf(0)}\r\n`
  const bytes = Buffer.from(request.slice(0, lineEnd) + header + request.slice(lineEnd), 'latin1')
  return { bytes, idAt: lineEnd + ID_NAME.length }
}

export function idOf(serial: number): string {
  return String(serial).padStart(ID_LENGTH, '0')
}

/** A copy: what was sent before may still wait to be written. */
export function bytesWithId({ bytes, idAt }: NumberedRequest, id: string): Buffer {
  const copy = Buffer.from(bytes)
  copy.write(id, idAt, 'latin1')
  return copy
}
