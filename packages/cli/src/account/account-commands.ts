import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function whoamiCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('whoami')
    .description('say which account and which runtime the keys of this environment are of')
    .addHelpText('after', examples(['svc whoami', 'svc whoami --json | jq -r .account.email']))
    .action(async () => (await import('./who-am-i.ts')).whoAmI(deps, terminal))
}

export function openCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('open')
    .description('open this project’s runtime in the dashboard, or print its address where there is no browser')
    .addHelpText('after', examples(['svc open']))
    .action(async () => (await import('./open-dashboard.ts')).openDashboard(deps, terminal))
}
