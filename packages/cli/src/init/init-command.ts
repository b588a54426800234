import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { DEFAULT_PORT } from '../project/default-port.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { InitFlags } from './answers.ts'

export function initCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('init')
    .description('make a project that deploys; files that are there stay as they are')
    .argument('[folder]', 'where; made if it is not there', '.')
    .option('--name <name>', 'what people call it (default: after the folder)')
    .option('--website <url>', 'address of the website that it belongs to')
    .option('--namespace <namespace>', 'before the published names (default: the website’s host reversed)')
    .option('--port <port>', `where it serves on this machine (default: ${DEFAULT_PORT})`)
    .option('-y, --yes', 'ask nothing, take the defaults')
    .addHelpText('after', REGISTRATION_HELP)
    .addHelpText(
      'after',
      examples(['svc init my-app', "svc init --name 'Example Shop' --website https://shop.example.com --yes"]),
    )
    .action(async (folder: string, flags: InitFlags) =>
      (await import('./init-project.ts')).initProject(deps, terminal, { folder, flags }),
    )
}

const REGISTRATION_HELP = `
With an account key in SVC_ACCOUNT_KEY, of \`svc login\`, or typed when asked, it registers the runtime at SVC_BASE_URL
and writes the credentials to .env. Without one it leaves them empty.`
