import type { JsonObject } from '@svc/contract'
import { CommanderError } from 'commander'
import { CommandFailure, EXIT_CODES, type FailureKind } from './failures.ts'
import { Misuse } from './misuse.ts'
import type { Terminal } from './terminal/terminal.ts'
import { stackOf } from './thrown.ts'

/** Prints what ended a command, in words on stderr and with `--json` as a document on stdout. Returns the exit code. */
export function reportFailure(terminal: Terminal, error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.ok
  const failure = failureOf(error)
  if (!isHelp(error)) terminal.fail(failure.message, failure.lines)
  terminal.failure(failureDocument(failure))
  return EXIT_CODES[failure.kind]
}

type Failure = Pick<CommandFailure, 'message' | 'lines' | 'fieldErrors'> & {
  readonly found?: JsonObject
  readonly kind: FailureKind
}

function failureOf(error: unknown): Failure {
  if (error instanceof CommandFailure) return error
  if (error instanceof CommanderError) return usageFault(error)
  return {
    kind: 'failure',
    message: 'This is a fault of svc itself. Please report it together with these lines.',
    lines: stackOf(error).split('\n'),
    fieldErrors: null,
  }
}

// Commander writes “error: unknown command 'deplo'”, and a suggestion in brackets on the next line.
function usageFault(error: CommanderError): Failure {
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const message = isHelp(error) ? 'no command was given' : first
  const suggestions = rest.map((line) => line.replace(/^\((.*)\)$/, '$1'))
  return {
    kind: 'usage',
    message: `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`,
    lines: [...suggestions, `Run \`${error instanceof Misuse ? error.path : 'svc'} --help\` to see what there is.`],
    fieldErrors: null,
  }
}

// Called without a command, svc prints its help, which says it all.
function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.help'
}

function failureDocument({ kind, message, lines, fieldErrors, found }: Failure): JsonObject {
  return { error: { kind, message, lines: [...lines], ...(fieldErrors && { fieldErrors }) }, ...found }
}
