import type { JsonObject } from '@svc/contract'
import picocolors from 'picocolors'
import type { CliDeps, Environment, Output } from '../deps.ts'
import { createProgress } from './progress.ts'
import { withholdSecrets } from './withhold-secrets.ts'

type Colors = ReturnType<typeof picocolors.createColors>

/**
 * What commands print with. For people: results on stdout, everything about problems on stderr. With `--json` stdout holds
 * the one document that `result` is given, and `line` and `success` print nothing.
 */
export type Terminal = {
  readonly isJson: boolean
  readonly colors: Colors
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
  readonly line: (text?: string) => void
  readonly success: (text: string) => void
  /** What leads to the result and is not part of it: nothing with `--json` and `--quiet`. */
  readonly detail: (text?: string) => void
  /** A remark on stderr: nothing with `--quiet`. */
  readonly note: (text: string) => void
  readonly warn: (text: string) => void
  readonly fail: (message: string, lines: readonly string[]) => void
  /** What the command found, for scripts; printed with `--json` alone, and `ok: true` with it. Called once, on success. */
  readonly result: (value: JsonObject) => void
  /** The document of a command that failed, printed with `--json` alone. */
  readonly failure: (value: JsonObject) => void
  /** Says what takes its time, on a terminal alone; the function returned takes it away again. */
  readonly progress: (text: string) => () => void
}

type Options = { readonly json?: boolean; readonly quiet?: boolean }

export function openTerminal(
  deps: Pick<CliDeps, 'stdout' | 'stderr' | 'env' | 'timers'>,
  { json: isJson = false, quiet: isQuiet = false }: Options = {},
): Terminal {
  const { stdout, stderr, env } = deps
  const out = picocolors.createColors(wantsColor(env, stdout))
  const err = picocolors.createColors(wantsColor(env, stderr))
  const progress = createProgress(stderr, deps.timers)
  const writeTo = (output: Output) => (text: string) => {
    progress.hide()
    output.write(withholdSecrets(text, env))
  }
  const writeOut = writeTo(stdout)
  const writeErr = writeTo(stderr)
  const line = (text = '') => writeOut(`${text}\n`)
  const document = (value: JsonObject) => line(JSON.stringify(value, null, 2))
  return {
    isJson,
    colors: out,
    writeOut,
    writeErr,
    line: isJson ? silent : line,
    success: isJson ? silent : (text) => line(`${out.green('✔')} ${text}`),
    detail: isJson || isQuiet ? silent : line,
    note: isQuiet ? silent : (text) => writeErr(`${err.dim(text)}\n`),
    warn: (text) => writeErr(`${err.yellow('!')} ${text}\n`),
    fail: (message, lines) => {
      writeErr(`${err.red('✖')} ${err.bold(message)}\n${lines.map((text) => `  ${text}\n`).join('')}`)
    },
    result: isJson ? (value) => document({ ok: true, ...value }) : silent,
    failure: isJson ? (value) => document({ ok: false, ...value }) : silent,
    progress: isQuiet || !canRedraw(env, stderr) ? () => silent : progress.show,
  }
}

function silent(): void {}

function wantsColor(env: Environment, output: Output): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return output.isTTY === true && env['TERM'] !== 'dumb'
}

function canRedraw(env: Environment, output: Output): boolean {
  const isPipeline = env['CI'] !== undefined && !['', '0', 'false'].includes(env['CI'])
  return output.isTTY === true && env['TERM'] !== 'dumb' && !isPipeline
}
