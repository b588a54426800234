import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function statusCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('status')
    .description('show what is being served and whether this project matches it')
    .addHelpText('after', examples(['svc status', 'svc status --json | jq .inSync']))
    .action(async () => (await import('./show-status.ts')).showStatus(deps, terminal))
}
