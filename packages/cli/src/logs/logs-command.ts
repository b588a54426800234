import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { usageFailure } from '../failures.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

const EXAMPLES = [
  'svc logs                    # the latest executions',
  'svc logs --follow           # go on with executions as they end; Ctrl-C ends it',
  'svc logs --failed --limit 5 # those that failed, or with a call that failed or is unknown',
  'svc logs --json | jq -r .executionId',
]

// The largest page that the control plane gives.
const MAX_LIMIT = 200
const DEFAULT_LIMIT = '20'

type Flags = { readonly follow?: true; readonly failed?: true; readonly limit: string }

export function logsCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('logs')
    .description('show the latest executions of this project’s runtime; needs an account key')
    .option('--follow', 'go on with executions as they end')
    .option('--failed', 'only those that failed, or with a capability call that failed or is unknown')
    .option('--limit <number>', `how many of the latest to show, 1 to ${MAX_LIMIT}`, DEFAULT_LIMIT)
    .addHelpText('after', examples(EXAMPLES))
    .action(async ({ follow, failed, limit }: Flags) => {
      const input = { isFollowing: follow === true, isFailedOnly: failed === true, limit: limitOf(limit) }
      await (await import('./show-logs.ts')).showLogs(deps, terminal, input)
    })
}

function limitOf(given: string): number {
  const limit = /^\d{1,3}$/.test(given) ? Number(given) : 0
  if (limit >= 1 && limit <= MAX_LIMIT) return limit
  throw usageFailure(`--limit must be a whole number from 1 to ${MAX_LIMIT}, and is “${given}”.`)
}
