import { Command } from 'commander'
import { trafficOption } from '../control-plane/traffic-option.ts'
import type { CliDeps } from '../deps.ts'
import { isAttended } from '../terminal/attended.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Flags = {
  doctor?: true
  dryRun?: true
  ifChanged?: true
  allowBreaking?: true
  promote: boolean
  traffic?: number
}

const EXAMPLES = [
  'svc deploy            # write the generated files and publish the capabilities',
  'svc deploy --dry-run  # the same without publishing',
  'svc deploy --doctor   # publish where the endpoint passes every check',
  'svc deploy --no-promote  # publish a candidate that serves nobody yet',
  'svc deploy --traffic 5   # publish a candidate that serves 5 % of the executions',
  'svc deploy --if-changed  # publish where something differs from what is live',
  'svc deploy --allow-breaking  # in a pipeline, publish a change that may break callers',
  'svc deploy --json     # what happened, for a script',
]

export function deployCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('deploy')
    .description('check the project and publish its capabilities')
    .option('--dry-run', 'do everything except publishing; generated files are written')
    .option('--doctor', 'examine the endpoint first, and publish nothing where a check fails')
    .option('--if-changed', 'publish nothing where what is live is identical')
    .option('--allow-breaking', 'in a pipeline, publish changes that may break callers')
    .option('--no-promote', 'publish a candidate, which serves nobody until it is promoted')
    .addOption(trafficOption())
    .addHelpText('after', examples(EXAMPLES))
    .action(async ({ doctor, dryRun, ifChanged, allowBreaking, promote, traffic }: Flags) => {
      const { deploy } = await import('./deploy.ts')
      await deploy(deps, terminal, {
        isDryRun: dryRun === true,
        isOnlyIfChanged: ifChanged === true,
        mayBreak: allowBreaking === true || isAttended(deps),
        withDoctor: doctor === true,
        traffic: traffic ?? (promote ? null : 0),
      })
    })
}
