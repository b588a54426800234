import type { JsonObject } from '@svc/contract'
import picocolors from 'picocolors'
import type { CliDeps, Environment, Output } from '../deps.ts'
import { isPipeline } from './attended.ts'
import { bold, dim, green, type Piece, red, yellow } from './piece.ts'
import { printable, printableJson, printableLines } from './printable.ts'
import { createProgress } from './progress.ts'
import { withholdSecrets } from './withhold-secrets.ts'

/**
 * What commands print with. For people: results on stdout, everything about problems on stderr. With `--json` stdout holds
 * the one document that `result` is given, and `line` and `success` print nothing. Control characters and secrets of the
 * environment are kept back in all of it.
 */
export type Terminal = {
  readonly isJson: boolean
  /** Whole lines as they are, for what is text already. */
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
  readonly line: (...pieces: Piece[]) => void
  readonly success: (text: string) => void
  /** What leads to the result and is not part of it: nothing with `--json` and `--quiet`. */
  readonly detail: (...pieces: Piece[]) => void
  /** A remark on stderr: nothing with `--quiet`. */
  readonly note: (...pieces: Piece[]) => void
  readonly warn: (text: string) => void
  readonly fail: (message: string, lines: readonly string[]) => void
  /** What the command found, for scripts; printed with `--json` alone, and `ok: true` with it. Called once, on success. */
  readonly result: (value: JsonObject) => void
  /** The document of a command that failed, printed with `--json` alone. */
  readonly failure: (value: JsonObject) => void
  /** Puts each document on one line from here on, for a command that calls `result` for each thing that it finds. */
  readonly resultPerLine: () => void
  /** Says what takes its time, on a terminal alone; the function returned takes it away again. */
  readonly progress: (text: string) => () => void
}

type Options = { readonly json?: boolean; readonly quiet?: boolean }

export function openTerminal(
  deps: Pick<CliDeps, 'stdout' | 'stderr' | 'env' | 'timers'>,
  { json: isJson = false, quiet: isQuiet = false }: Options = {},
): Terminal {
  const { stdout, stderr, env } = deps
  const progress = createProgress(stderr, deps.timers)
  const printerFor = (output: Output) => {
    const styles = picocolors.createColors(wantsColor(env, output))
    const write = (text: string) => {
      progress.hide()
      output.write(withholdSecrets(text, env))
    }
    const styled = (piece: Piece) =>
      typeof piece === 'string' ? printable(piece) : styles[piece.style](printable(piece.text))
    return {
      write: (text: string) => write(printableLines(text)),
      line: (...pieces: Piece[]) => write(`${pieces.map(styled).join('')}\n`),
    }
  }
  const out = printerFor(stdout)
  const err = printerFor(stderr)
  let indent = 2
  const document = (value: JsonObject) => out.write(`${printableJson(value, indent)}\n`)
  return {
    isJson,
    writeOut: out.write,
    writeErr: err.write,
    line: isJson ? silent : out.line,
    success: isJson ? silent : (text) => out.line(green('✔'), ' ', text),
    detail: isJson || isQuiet ? silent : out.line,
    note: isQuiet ? silent : (...pieces) => err.line(...pieces.map(dimmed)),
    warn: (text) => err.line(yellow('!'), ' ', text),
    fail: (message, lines) => {
      err.line(red('✖'), ' ', bold(message))
      for (const text of lines) err.line('  ', text)
    },
    result: isJson ? (value) => document({ ok: true, ...value }) : silent,
    failure: isJson ? (value) => document({ ok: false, ...value }) : silent,
    resultPerLine: () => {
      indent = 0
    },
    progress: isQuiet || !canRedraw(env, stderr) ? () => silent : progress.show,
  }
}

function silent(): void {}

function dimmed(piece: Piece): Piece {
  return typeof piece === 'string' ? dim(piece) : piece
}

function wantsColor(env: Environment, output: Output): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return output.isTTY === true && env['TERM'] !== 'dumb'
}

function canRedraw(env: Environment, output: Output): boolean {
  return output.isTTY === true && env['TERM'] !== 'dumb' && !isPipeline(env)
}
