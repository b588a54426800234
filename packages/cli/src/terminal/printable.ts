// Control characters, line separators, and the marks that turn the direction of what follows.
const OBEYED = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** One line without control sequences: foreign text in it cannot rewrite the rest of the screen. */
export function printable(text: string): string {
  return text.replace(OBEYED, ' ')
}

/** As {@link printable}, and the ends of lines stay. */
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join('\n')
}

/** A value as JSON, indented or, with 0, in one line. JSON leaves many characters as they are that terminals obey: they are escaped. */
export function printableJson(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  return text.replace(OBEYED, (character) => (character === '\n' ? character : escaped(character)))
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
