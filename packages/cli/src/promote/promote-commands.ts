import { Argument, Command } from 'commander'
import { readDeployment, trafficOption } from '../control-plane/traffic-option.ts'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

const PROMOTE = [
  'svc promote               # the candidate becomes stable and serves everything',
  'svc promote --traffic 50  # the candidate serves half of the executions',
  'svc promote 7             # deployment 7 becomes stable',
]
const ROLLBACK = [
  'svc rollback    # back to the deployment that was stable before',
  'svc rollback 5  # back to deployment 5',
]

export function promoteCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('promote')
    .description('make a deployment the stable one, or give the candidate another share')
    .addArgument(deploymentArgument('the number of a deployment (default: the candidate)'))
    .addOption(trafficOption())
    .addHelpText('after', examples(PROMOTE))
    .action(async (version: number | undefined, { traffic }: { traffic?: number }) =>
      (await import('./promote.ts')).promote(deps, terminal, { version: version ?? 'candidate', traffic }),
    )
}

export function rollbackCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('rollback')
    .description('make an earlier deployment the stable one again')
    .addArgument(deploymentArgument('the number of a deployment (default: the one that was stable before)'))
    .addHelpText('after', examples(ROLLBACK))
    .action(async (version: number | undefined) =>
      (await import('./promote.ts')).promote(deps, terminal, { version: version ?? 'previous' }),
    )
}

function deploymentArgument(description: string): Argument {
  return new Argument('[version]', description).argParser(readDeployment)
}
