import { Command, CommanderError } from 'commander'
import { deploy } from './deploy/deploy.ts'
import type { CliDeps } from './deps.ts'
import { CommandFailure, EXIT_CODES } from './failures.ts'
import { showStatus } from './status/show-status.ts'
import { openTerminal, type Terminal } from './terminal/terminal.ts'
import { CLI_VERSION } from './version.ts'

/** Runs the tool with the given arguments and returns its exit code. It never throws. */
export async function runCli(deps: CliDeps, args: readonly string[]): Promise<number> {
  const terminal = openTerminal(deps)
  try {
    await createProgram(deps, terminal).parseAsync(args, { from: 'user' })
    return EXIT_CODES.ok
  } catch (error) {
    return report(terminal, error)
  }
}

function createProgram(deps: CliDeps, terminal: Terminal): Command {
  const program = new Command('svc')
    .description('Publish the capabilities of this project and see what is being served.')
    .version(CLI_VERSION, '-V, --version', 'print the version of this tool')
    .exitOverride()
    .configureOutput({ writeOut: terminal.writeOut, writeErr: terminal.writeErr })
    .showHelpAfterError('Run svc --help to see what there is.')
    .addHelpText('after', ENVIRONMENT_HELP)

  program
    .command('deploy')
    .description('check the project and publish its capabilities')
    .option('--dry-run', 'do everything except publishing')
    .action((options: { dryRun?: true }) => deploy(deps, terminal, { isDryRun: options.dryRun === true }))

  program
    .command('status')
    .description('show what is being served and whether this project matches it')
    .action(() => showStatus(deps, terminal))

  return program
}

const ENVIRONMENT_HELP = `
Environment (also read from .env beside svc.config.ts):
  SVC_API_KEY    the runtime’s deploy key
  SVC_BASE_URL   address of the control plane (default http://127.0.0.1:8787)
  NO_COLOR       print without colour

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 something in the project to change, 4 server or key`

function report(terminal: Terminal, error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage
  if (error instanceof CommandFailure) {
    terminal.fail(error.message, error.lines)
    return EXIT_CODES[error.kind]
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  terminal.fail('This is a fault of svc itself. Please report it together with these lines.', stack.split('\n'))
  return EXIT_CODES.failure
}
