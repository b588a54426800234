/** Tells what happens, as a person would want to read it. */
export interface Teller {
  step(title: string): void
  fact(name: string, value: string): void
  line(text: string): void
  /** Text without a line end, as it streams in. */
  text(chunk: string): void
}

const NAME_WIDTH = 20

export function createTeller(out: { write(text: string): unknown }): Teller {
  let steps = 0
  let isAtLineStart = true
  return {
    step(title) {
      steps += 1
      out.write(`\n${steps}. ${title}\n`)
    },
    fact(name, value) {
      const [first, ...rest] = value.split('\n')
      out.write(`   ${name.padEnd(NAME_WIDTH)} ${first ?? ''}\n`)
      for (const line of rest) out.write(`   ${' '.repeat(NAME_WIDTH)} ${line}\n`)
    },
    line(text) {
      for (const line of text.split('\n')) out.write(`   ${line}\n`)
    },
    text(chunk) {
      // A chunk may end in the middle of a line, or right at its end.
      for (const piece of chunk.split(/(?<=\n)/)) {
        out.write(isAtLineStart ? `   ${piece}` : piece)
        isAtLineStart = piece.endsWith('\n')
      }
    },
  }
}
