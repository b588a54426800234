import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

const URL_OPTION = ['--url <url>', 'address of the control plane (default: SVC_BASE_URL)'] as const

export function loginCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('login')
    .description('save an account key for this machine, which you confirm in the dashboard')
    .option(...URL_OPTION)
    .option('--no-open', 'open no browser')
    .addHelpText('after', examples(['svc login', 'svc login --url https://svc.example.com --no-open']))
    .action(async (flags: { url?: string; open: boolean }) =>
      (await import('./log-in.ts')).logIn(deps, terminal, flags),
    )
}

export function logoutCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('logout')
    .description('revoke and remove the key that svc login has saved')
    .option(...URL_OPTION)
    .addHelpText('after', examples(['svc logout']))
    .action(async (flags: { url?: string }) => (await import('./log-out.ts')).logOut(deps, terminal, flags))
}

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
