import type { CommandFailure } from './failures.ts'

/** Waits for Ctrl-C or SIGTERM, the usual end of a command that goes on, or for a failure that it is told. */
export function untilInterrupted() {
  let resolveEnd: (failure: CommandFailure | null) => void = () => undefined
  const happened = new Promise<CommandFailure | null>((resolve) => {
    resolveEnd = resolve
  })
  const interrupt = () => resolveEnd(null)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt)
  return {
    happened,
    tell(failure: CommandFailure | null): void {
      if (failure) resolveEnd(failure)
    },
    release(): void {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt)
    },
  }
}
