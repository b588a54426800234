import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

const EXAMPLES = [
  'svc deploy            # write the generated files and publish the capabilities',
  'svc deploy --dry-run  # the same without publishing',
  'svc deploy --if-changed  # publish where something differs from what is live',
  'svc deploy --json     # what happened, for a script',
]

export function deployCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('deploy')
    .description('check the project and publish its capabilities')
    .option('--dry-run', 'do everything except publishing; generated files are written')
    .option('--if-changed', 'publish nothing where what is live is identical')
    .addHelpText('after', examples(EXAMPLES))
    .action(async (options: { dryRun?: true; ifChanged?: true }) => {
      const { deploy } = await import('./deploy.ts')
      await deploy(deps, terminal, { isDryRun: options.dryRun === true, isOnlyIfChanged: options.ifChanged === true })
    })
}
