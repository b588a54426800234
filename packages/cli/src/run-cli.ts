import { Command } from 'commander'
import { loginCommand, logoutCommand, openCommand, whoamiCommand } from './account/account-commands.ts'
import { deployCommand } from './deploy/deploy-command.ts'
import type { CliDeps } from './deps.ts'
import { devCommand } from './dev/dev-command.ts'
import { doctorCommand } from './doctor/doctor-command.ts'
import { EXIT_CODES } from './failures.ts'
import { generateCommand } from './generate/generate-command.ts'
import { applyGlobalOptions, globalOptions, readGlobalOptions } from './global-options.ts'
import { helpCommand } from './help-command.ts'
import { initCommand } from './init/init-command.ts'
import { logsCommand } from './logs/logs-command.ts'
import { manifestCommand } from './manifest/manifest-command.ts'
import { mcpCommand } from './mcp/mcp-command.ts'
import { Misuse } from './misuse.ts'
import { promoteCommand, rollbackCommand } from './promote/promote-commands.ts'
import { replayCommand } from './replay/replay-command.ts'
import { reportFailure } from './report-failure.ts'
import { statusCommand } from './status/status-command.ts'
import { openTerminal, type Terminal } from './terminal/terminal.ts'
import { testCommand } from './test/test-command.ts'
import { CLI_VERSION } from './version.ts'

// In the order in which a project meets them.
const OF_PROJECT = [
  initCommand,
  devCommand,
  testCommand,
  generateCommand,
  deployCommand,
  promoteCommand,
  rollbackCommand,
  doctorCommand,
  statusCommand,
  logsCommand,
  replayCommand,
  manifestCommand,
  mcpCommand,
]
const COMMANDS = [...OF_PROJECT, loginCommand, logoutCommand, whoamiCommand, openCommand]

/** Runs the tool with the given arguments and returns its exit code. It never throws. */
export async function runCli(deps: CliDeps, args: readonly string[]): Promise<number> {
  const options = readGlobalOptions(args)
  const terminal = openTerminal(deps, options)
  try {
    await createProgram(applyGlobalOptions(deps, options), terminal).parseAsync(args, { from: 'user' })
    return EXIT_CODES.ok
  } catch (error) {
    return reportFailure(terminal, error)
  }
}

function createProgram(deps: CliDeps, terminal: Terminal): Command {
  const program: Command = new Command('svc')
    .description('Publish the capabilities of this project and see what is being served.')
    .usage('[options] <command>')
    .version(CLI_VERSION, '-V, --version', 'print the version of this tool')
    .helpOption('-h, --help', 'print what a command does, its options and examples')
    .helpCommand(false)
    // Faults of usage are printed by reportFailure, in the form that all others have.
    .configureOutput({ writeOut: terminal.writeOut, writeErr: terminal.writeErr, outputError: () => undefined })
    // Global are the tool’s own options alone, not those of every command above.
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: ({ parent }) => (parent ? [...program.options] : []),
    })
    .addHelpText('after', ENVIRONMENT_HELP)
  for (const option of globalOptions()) program.addOption(option)
  refusing(program)
  for (const command of COMMANDS) program.addCommand(inheriting(command(deps, terminal), program))
  program.addCommand(inheriting(helpCommand(program), program))
  return program
}

// Commands below commands, too: commander hands the settings on to those alone that it makes itself.
function inheriting(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inheriting(child, command)
  return refusing(command)
}

// In place of an end of the process.
function refusing(command: Command): Command {
  return command.exitOverride((error) => {
    throw new Misuse(error, command)
  })
}

const ENVIRONMENT_HELP = `
Environment (also read from .env beside svc.config.ts; what is really set wins):
  SVC_API_KEY         the runtime’s deploy key: for deploy, promote, rollback, doctor, status and mcp
  SVC_BASE_URL        address of the control plane (default http://127.0.0.1:8787)
  SVC_RUNTIME_ID      the runtime’s id: for dev, logs, manifest pull and generated documents
  SVC_RUNTIME_SECRET  the secret that calls are signed with: for dev
  SVC_ACCOUNT_KEY     an account key, in place of the one that login saved: for logs, init and whoami
  SVC_PUBLIC_KEY      a public key: for tests with \`model: service\`
  SVC_END_USER_TOKEN  the end user who calls: for test and replay
  PORT                where dev serves, unless --port says otherwise
  NO_COLOR, FORCE_COLOR  print without colour, in colour

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 something in the project to change, 4 server or key, 130 interrupted`
