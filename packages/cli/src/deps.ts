import type { Readable } from 'node:stream'

/** Where text goes; `process.stdout` and `process.stderr` are such outputs. A pipe whose reader left has none. */
export type Output = {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  hasReader?(): boolean
}

/** Environment variables by name. A project’s `.env` is added to this very object, since its modules read it. */
export type Environment = Record<string, string | undefined>

/** Time in milliseconds. The functions returned end what was asked for. */
export type Timers = {
  now(): number
  every(intervalMs: number, tick: () => void): () => void
  /** Runs once. Meanwhile the process does not end. */
  after(delayMs: number, run: () => void): () => void
}

/** All that the tool touches of the world around it. */
export type CliDeps = {
  /** What questions are answered from, and what `svc dev call` may read its input from; absent where there is none. */
  readonly stdin?: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Environment
  readonly cwd: string
  /** The folder of the user’s settings, with `svc login`’s in a folder of its own; absent where there is none. */
  readonly configFolder?: string
  /** The name of this machine. */
  readonly machine?: string
  /** The configuration that `--config` named, as an absolute path; without it the nearest `svc.config.ts` is taken. */
  readonly configFile?: string
  readonly fetch: typeof fetch
  /** Asks the system to open an address in a browser; absent where there is none. */
  readonly openInBrowser?: (url: string) => void
  /** Runs git in a folder; null where it fails. Absent where no program may be started. */
  readonly git?: (args: readonly string[], folder: string) => Promise<string | null>
  readonly timers: Timers
}
