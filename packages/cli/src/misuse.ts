import { type Command, CommanderError } from 'commander'

/** What commander found wrong with the arguments, and the command that they were meant for. */
export class Misuse extends CommanderError {
  /** `svc dev call` */
  readonly path: string

  constructor({ exitCode, code, message }: CommanderError, command: Command) {
    super(exitCode, code, message)
    this.path = pathOf(command)
  }
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
