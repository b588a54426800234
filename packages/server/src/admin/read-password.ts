import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean }
  output: NodeJS.WritableStream
}

export interface TypedPassword {
  first: string
  /** Null where the input is no terminal. */
  repeated: string | null
}

/** The first line of the input, without its end. On a terminal it is asked for twice, and typing is not shown. */
export async function readPassword({ input, output }: Terminal): Promise<TypedPassword> {
  const isTerminal = input.isTTY === true
  const lines = createInterface({ input, ...(isTerminal ? { output: hidden(), terminal: true } : {}) })
  const read = lines[Symbol.asyncIterator]()
  const ask = async (prompt: string) => {
    if (isTerminal) output.write(prompt)
    const { value } = await read.next()
    if (isTerminal) output.write('\n')
    return typeof value === 'string' ? value : ''
  }
  try {
    const first = await ask('New password, 10 to 128 characters: ')
    return { first, repeated: isTerminal ? await ask('The same again: ') : null }
  } finally {
    lines.close()
  }
}

function hidden(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() })
}
