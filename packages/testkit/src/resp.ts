/** A reply in Redis’s protocol; a string is a status, such as `OK`. */
export type RespReply = string | number | null | { readonly text: string } | { readonly error: string } | RespFields
export type RespFields = ReadonlyMap<string, string | number>

/** Cuts a connection’s bytes into commands, however they were cut into packets. Speaks arrays of bulk strings alone. */
export function createRespReader(): (chunk: Buffer) => string[][] {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    const commands: string[][] = []
    for (let read = readCommand(rest); read !== null; read = readCommand(rest)) {
      commands.push(read.words)
      rest = rest.subarray(read.end)
    }
    return commands
  }
}

/** Writes a reply; in version 2 of the protocol, a map is a flat list. */
export function writeReply(reply: RespReply, version: 2 | 3): string {
  if (reply === null) return version === 3 ? '_\r\n' : '$-1\r\n'
  if (typeof reply === 'number') return `:${reply}\r\n`
  if (typeof reply === 'string') return `+${reply}\r\n`
  if ('error' in reply) return `-${reply.error}\r\n`
  if ('text' in reply) return bulk(reply.text)
  const fields = [...reply].map(
    ([name, value]) => bulk(name) + (typeof value === 'number' ? `:${value}\r\n` : bulk(value)),
  )
  return `${version === 3 ? `%${fields.length}` : `*${fields.length * 2}`}\r\n${fields.join('')}`
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`
}

// Null as long as the command has not arrived whole.
function readCommand(bytes: Buffer): { words: string[]; end: number } | null {
  const head = readCount(bytes, 0, '*')
  if (head === null) return null
  const words: string[] = []
  let end = head.end
  while (words.length < head.count) {
    const length = readCount(bytes, end, '$')
    if (length === null || bytes.length < length.end + length.count + 2) return null
    words.push(bytes.toString('utf8', length.end, length.end + length.count))
    end = length.end + length.count + 2
  }
  return { words, end }
}

function readCount(bytes: Buffer, start: number, mark: '*' | '$'): { count: number; end: number } | null {
  const end = bytes.indexOf('\r\n', start)
  if (end === -1) return null
  const line = bytes.toString('latin1', start, end)
  if (!new RegExp(`^\\${mark}\\d+$`).test(line)) throw new Error(`the double understands no ${JSON.stringify(line)}`)
  return { count: Number(line.slice(1)), end: end + 2 }
}
