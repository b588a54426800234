import type { FieldErrors, JsonObject } from '@svc/contract'
import { fieldLines } from './terminal/field-lines.ts'

/** What the process ends with. `project` is anything that the owner must change in files or environment. */
export const EXIT_CODES = { ok: 0, failure: 1, usage: 2, project: 3, server: 4, interrupted: 130 } as const

export type FailureKind = Exclude<keyof typeof EXIT_CODES, 'ok'>

type FailureOptions = ErrorOptions & { readonly fieldErrors?: FieldErrors; readonly found?: JsonObject }

/** A situation that ends a command: one sentence, then what to do about it or where it lies, line by line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly kind: FailureKind
  readonly lines: readonly string[]
  /** The faults by field, where the lines say them for people. */
  readonly fieldErrors: FieldErrors | null
  /** What a script is given beside the error. */
  readonly found: JsonObject

  constructor(kind: FailureKind, message: string, lines: readonly string[] = [], options?: FailureOptions) {
    super(message, options)
    this.kind = kind
    this.lines = lines
    this.fieldErrors = options?.fieldErrors ?? null
    this.found = options?.found ?? {}
  }
}

/** Something in the project’s files or environment has to be changed before the command can work. */
export function projectFailure(message: string, lines: readonly string[] = [], cause?: unknown): CommandFailure {
  return new CommandFailure('project', message, lines, { cause })
}

/** Fields of the project’s own that have to be changed, each with its messages. */
export function invalidFields(message: string, fieldErrors: FieldErrors): CommandFailure {
  return new CommandFailure('project', message, fieldLines(fieldErrors), { fieldErrors })
}

/** The command was called in a way that cannot work. */
export function usageFailure(message: string, lines: readonly string[] = []): CommandFailure {
  return new CommandFailure('usage', message, lines)
}

/** The control plane cannot be reached, is not one, or does not accept the key. */
export function serverFailure(message: string, lines: readonly string[] = [], cause?: unknown): CommandFailure {
  return new CommandFailure('server', message, lines, { cause })
}

/** Everything was in order and the command still did not succeed. */
export function commandFailure(message: string, lines: readonly string[] = [], cause?: unknown): CommandFailure {
  return new CommandFailure('failure', message, lines, { cause })
}
