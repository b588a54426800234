import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

const EXAMPLES = ['svc doctor', "svc doctor --json | jq '.rows[] | select(.ok | not)'"]

export function doctorCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('doctor')
    .description('have the endpoint called in right and in false ways, and see what to change')
    .addHelpText('after', examples(EXAMPLES))
    .action(async () => (await import('./run-doctor.ts')).runDoctor(deps, terminal))
}
