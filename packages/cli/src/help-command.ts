import { Command } from 'commander'
import { usageFailure } from './failures.ts'
import { nearestName } from './nearest-name.ts'

/** `svc help deploy`, `svc help dev call`: what `--help` prints, and a word that is no command is named. */
export function helpCommand(program: Command): Command {
  return new Command('help')
    .description('the same as <command> --help')
    .argument('[command...]')
    .action((path: readonly string[]) => named(program, path).help())
}

function named(program: Command, path: readonly string[]): Command {
  let current = program
  for (const name of path) {
    const next = current.commands.find((command) => command.name() === name)
    if (!next) throw unknownCommand(name, current)
    current = next
  }
  return current
}

function unknownCommand(name: string, within: Command) {
  const names = within.commands.map((command) => command.name())
  const nearest = nearestName(name, names)
  return usageFailure(`Unknown command '${name}'.`, [
    ...(nearest === null ? [] : [`Did you mean ${nearest}?`]),
    'Run `svc --help` to see what there is.',
  ])
}
