/** Where text goes; `process.stdout` and `process.stderr` are such outputs. */
export type Output = { write(text: string): unknown; readonly isTTY?: boolean }

/** Environment variables by name. A project’s `.env` is added to this very object, since its modules read it. */
export type Environment = Record<string, string | undefined>

/** All that the tool touches of the world around it. */
export type CliDeps = {
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Environment
  readonly cwd: string
  readonly fetch: typeof fetch
}
