import { abbreviateKey } from '@svc/contract'
import picocolors from 'picocolors'
import type { CliDeps, Environment, Output } from '../deps.ts'

type Colors = ReturnType<typeof picocolors.createColors>

/** What commands print with: results on stdout, everything about problems on stderr. */
export type Terminal = {
  readonly colors: Colors
  readonly writeOut: (text: string) => void
  readonly writeErr: (text: string) => void
  readonly line: (text?: string) => void
  readonly success: (text: string) => void
  readonly note: (text: string) => void
  readonly warn: (text: string) => void
  readonly fail: (message: string, lines: readonly string[]) => void
}

export function openTerminal(deps: Pick<CliDeps, 'stdout' | 'stderr' | 'env'>): Terminal {
  const out = picocolors.createColors(wantsColor(deps.env, deps.stdout))
  const err = picocolors.createColors(wantsColor(deps.env, deps.stderr))
  const writeOut = (text: string) => void deps.stdout.write(withoutKeys(text))
  const writeErr = (text: string) => void deps.stderr.write(withoutKeys(text))
  return {
    colors: out,
    writeOut,
    writeErr,
    line: (text = '') => writeOut(`${text}\n`),
    success: (text) => writeOut(`${out.green('✔')} ${text}\n`),
    note: (text) => writeErr(`${err.dim(text)}\n`),
    warn: (text) => writeErr(`${err.yellow('!')} ${text}\n`),
    fail: (message, lines) => {
      writeErr(`${err.red('✖')} ${err.bold(message)}\n${lines.map((line) => `  ${line}\n`).join('')}`)
    },
  }
}

function wantsColor(env: Environment, output: Output): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0'
  return output.isTTY === true && env['TERM'] !== 'dumb'
}

// A second wall: a message of somebody else’s code may carry a key, and terminals are logged in pipelines.
function withoutKeys(text: string): string {
  return text.replace(/svc_(?:sk|pk|ak)_[0-9A-Za-z]{16,}/g, abbreviateKey)
}
