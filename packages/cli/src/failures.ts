/** What the process ends with. `project` is anything that the owner must change in files or environment. */
export const EXIT_CODES = { ok: 0, failure: 1, usage: 2, project: 3, server: 4 } as const

export type FailureKind = keyof typeof EXIT_CODES

/** A situation that ends a command: one sentence, then what to do about it or where it lies, line by line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
  readonly kind: FailureKind
  readonly lines: readonly string[]

  constructor(kind: FailureKind, message: string, lines: readonly string[] = [], options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
    this.lines = lines
  }
}

/** Something in the project’s files or environment has to be changed before the command can work. */
export function projectFailure(message: string, lines: readonly string[] = [], cause?: unknown): CommandFailure {
  return new CommandFailure('project', message, lines, { cause })
}

/** The control plane cannot be reached, is not one, or does not accept the key. */
export function serverFailure(message: string, lines: readonly string[] = [], cause?: unknown): CommandFailure {
  return new CommandFailure('server', message, lines, { cause })
}

/** Everything was in order and the command still did not succeed. */
export function commandFailure(message: string, lines: readonly string[] = [], cause?: unknown): CommandFailure {
  return new CommandFailure('failure', message, lines, { cause })
}
