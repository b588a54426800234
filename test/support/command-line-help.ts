import type { ShellCommand } from './shell-commands.ts'

/** What a command’s help says that there is. */
export interface CommandHelp {
  readonly usage: string
  readonly commands: ReadonlyMap<string, CommandHelp>
  /** Every spelling of every option, and whether a value follows it. */
  readonly options: ReadonlyMap<string, boolean>
}

/** Reads the help of a command and of all commands below it. `print` is given the path: `['dev', 'call']`. */
export async function readHelp(print: (path: string[]) => Promise<string>, path: string[] = []): Promise<CommandHelp> {
  const text = await print(path)
  const commands = new Map<string, CommandHelp>()
  for (const line of linesUnder(text, 'Commands:')) {
    const [, name] = /^ {2}([a-z][\w-]*)/.exec(line) ?? []
    if (name && name !== 'help') commands.set(name, await readHelp(print, [...path, name]))
  }
  const options = new Map<string, boolean>()
  for (const heading of ['Options:', 'Global Options:', 'Global options:']) {
    // Indented deeper is a description that goes on.
    for (const line of linesUnder(text, heading).filter((each) => /^ {2}-/.test(each))) {
      const [flags = ''] = line.trim().split(/ {2,}/)
      for (const [name] of flags.matchAll(/(?<![\w-])--?[a-zA-Z][\w-]*/g)) options.set(name, /[<[]/.test(flags))
    }
  }
  return { usage: /^Usage: (.*)$/m.exec(text)?.[1] ?? '', commands, options }
}

function linesUnder(text: string, heading: string): string[] {
  const lines = text.split('\n')
  const start = lines.indexOf(heading)
  if (start < 0) return []
  const end = lines.findIndex((line, index) => index > start && !line.startsWith(' '))
  return lines.slice(start + 1, end < 0 ? undefined : end)
}

/** The fault of a command line by its tool’s help, or null. */
export function commandProblem(tool: CommandHelp, [name = '', ...words]: ShellCommand): string | null {
  let command = tool
  let path = name
  let isValue = false
  for (const word of words) {
    if (/^[<>]/.test(word)) return null
    const below = command.commands.get(word)
    if (isValue) {
      isValue = false
    } else if (below) {
      command = below
      path = `${path} ${word}`
    } else if (/^-./.test(word)) {
      const option = readOption([command, tool], word)
      if (!option.exists) return `“${path}” has no option ${option.name}`
      isValue = option.takesNext
    } else if (!takesArguments(command)) {
      return `“${path}” has no command and takes no argument “${word}”`
    }
  }
  return null
}

function readOption(commands: readonly CommandHelp[], word: string) {
  const [name = '', value] = word.split('=')
  const takesValue = commands.map(({ options }) => options.get(name)).find((found) => found !== undefined)
  return { name, exists: takesValue !== undefined, takesNext: takesValue === true && value === undefined }
}

// Options and commands stand in every usage line; whatever else is in brackets is an argument.
function takesArguments({ usage }: CommandHelp): boolean {
  return /[<[](?!options\]|command[\]>])/.test(usage)
}
