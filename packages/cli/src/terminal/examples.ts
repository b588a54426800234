/** The last part of a command’s help: calls as one would type them, each with what it does behind `#` where that helps. */
export function examples(calls: readonly string[]): string {
  return `\nExamples:\n${calls.map((call) => `  ${call}\n`).join('')}`
}
