/** What a refusal needs to know of a request. Names of headers are lower case; of others than these nothing is said. */
export interface RequestGist {
  method: string
  url: string
  headers: { origin?: string | undefined; 'x-request-id'?: string | undefined }
}

const END = '\r\n\r\n'
/** Node takes no longer ones either. */
const MAX_HEAD_BYTES = 16_384

/** As Node’s parser takes them: what it refuses must not be answered as a request. */
const HEAD =
  /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/[\x21-\x7e]*) HTTP\/1\.1\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/
/** What ends a message elsewhere than its length says, and what asks for more than an answer. */
const UNUSUAL = /\r\n(?:transfer-encoding|connection(?!: keep-alive\r\n)|upgrade|expect)/i
const LENGTH_NAME = /\r\ncontent-length/gi
const LENGTH = /\r\ncontent-length: ?(\d{1,9})\r\n/i

/**
 * Reads a piece of a connection that is one plain request, from its first byte to the last one of its body, and nothing
 * else; null of any other. Whatever could be understood in two ways is not plain.
 */
export function readWholeRequest(piece: Buffer): RequestGist | null {
  const end = piece.indexOf(END)
  if (end === -1 || end > MAX_HEAD_BYTES) return null
  const head = piece.toString('latin1', 0, end + 2)
  const [, method, url] = HEAD.exec(head) ?? []
  if (method === undefined || url === undefined || UNUSUAL.test(head)) return null
  const bodyBytes = bodyBytesOf(head)
  if (bodyBytes === null || end + END.length + bodyBytes !== piece.length) return null
  return { method, url, headers: { origin: field(head, ORIGIN), 'x-request-id': field(head, REQUEST_ID) } }
}

function bodyBytesOf(head: string): number | null {
  const named = head.match(LENGTH_NAME)?.length ?? 0
  if (named === 0) return 0
  const [, length] = LENGTH.exec(head) ?? []
  return named === 1 && length !== undefined ? Number(length) : null
}

const ORIGIN = /\r\norigin: ?([^\r]*)\r\n/i
const REQUEST_ID = /\r\nx-request-id: ?([^\r]*)\r\n/i

function field(head: string, pattern: RegExp): string | undefined {
  return pattern.exec(head)?.[1]?.trim()
}
