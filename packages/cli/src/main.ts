import { spawn } from 'node:child_process'
import { homedir, hostname } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { CliDeps } from './deps.ts'
import { placeInStack } from './describe-thrown.ts'
import { EXIT_CODES, projectFailure } from './failures.ts'
import { readGlobalOptions } from './global-options.ts'
import { reportFailure } from './report-failure.ts'
import { runCli } from './run-cli.ts'
import { runGit } from './run-git.ts'
import { openTerminal } from './terminal/terminal.ts'

process.once('exit', reportEarlyEnd)
process.on('SIGINT', interrupt)
// A reader that left (`svc status | head -1`) is no reason to fail.
let hasReader = true
process.stdout.on('error', () => (hasReader = false))
process.stderr.on('error', () => {})

// Modules of the project run in this process. What they print goes to stderr, so that stdout holds results alone.
const writeResult = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr)

const args = process.argv.slice(2)
const deps: CliDeps = {
  stdin: process.stdin,
  stdout: { write: (text) => writeResult(text), isTTY: process.stdout.isTTY, hasReader: () => hasReader },
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  configFolder: configFolder(),
  machine: hostname(),
  fetch: globalThis.fetch,
  timers: { now: () => performance.now(), every, after },
  openInBrowser,
  git: runGit,
}
const exitCode = await runCli(deps, args)

process.off('exit', reportEarlyEnd)
// They may also hold the process open (a database, a timer), so it is ended once the output is out.
writeResult('', () => process.stderr.write('', () => process.exit(exitCode)))

// A module that ends the process, or waits for ever, must not look like success.
function reportEarlyEnd(): void {
  const isOfProject = (file: string) => !file.startsWith(import.meta.dirname)
  Error.stackTraceLimit = 100
  const place = placeInStack(new Error().stack ?? '', { cwd: deps.cwd, isOfProject })
  const failure = projectFailure('The project’s own code ended svc, or waits for something that never comes.', place)
  process.exitCode = reportFailure(openTerminal(deps, readGlobalOptions(args)), failure)
}

// A command that listens itself ends in its own time.
function interrupt(): void {
  if (process.listenerCount('SIGINT') > 1) return
  process.off('exit', reportEarlyEnd)
  if (process.stdin.isTTY) process.stdin.setRawMode(false)
  // The line of a progress goes, the cursor comes back.
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K\u001b[?25h')
  process.exit(EXIT_CODES.interrupted)
}

// As the XDG Base Directory Specification has it: a relative path is not valid there.
function configFolder(): string {
  const { XDG_CONFIG_HOME: given = '' } = process.env
  return isAbsolute(given) ? given : join(homedir(), '.config')
}

// Its absence is no failure: the address is printed, too.
function openInBrowser(url: string): void {
  const openers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' }
  spawn(openers[process.platform] ?? 'xdg-open', [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref()
}

// Not held by a tick: nothing but a tick to wait for is waiting for ever.
function every(intervalMs: number, tick: () => void): () => void {
  const timer = setInterval(tick, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

function after(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}
