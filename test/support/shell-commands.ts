/** A command of a shell sample: its words, without quotes. */
export type ShellCommand = readonly string[]

// The shell’s own punctuation, a quoted part, a backslash with what it protects, or plain text.
const TOKEN = /(\n|&&|\|\||[;|&()])|(#[^\n]*)|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\(\n|.)|([^\s'"\\;|&()]+)|([^\S\n]+)/g

/**
 * The commands in a shell sample, one by one: `cd app && npx svc deploy` is two. Assignments before a command and `npx` are
 * left out, comments and continued lines are understood, redirections stay among the words.
 */
export function commandsIn(script: string): ShellCommand[] {
  const commands: string[][] = [[]]
  let isInWord = false
  const add = (text: string): void => {
    const words = commands.at(-1) ?? []
    words.push(isInWord ? `${words.pop() ?? ''}${text}` : text)
    isInWord = true
  }
  for (const [, end, comment, single, double, escaped, plain, space] of script.matchAll(TOKEN)) {
    if (end !== undefined) commands.push([])
    if (end !== undefined || space !== undefined || escaped === '\n') isInWord = false
    else if (comment !== undefined && isInWord) add(comment)
    else if (comment === undefined) add(single ?? double ?? escaped ?? plain ?? '')
  }
  return commands.map(withoutPrefix).filter((words) => words.length > 0)
}

function withoutPrefix(words: readonly string[]): ShellCommand {
  const start = words.findIndex((word) => !/^\w+=/.test(word) && !['npx', 'time', 'exec'].includes(word))
  return start < 0 ? [] : words.slice(start)
}
