import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { usageFailure } from '../failures.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

const EXAMPLES = [
  'svc replay --against 7 --endpoint https://next.shop.example.com/svc',
  'svc replay --against 7 --local    # the code of this project',
  'svc replay --against 7 --local --limit 200 --json | jq .capabilities',
]

const MAX_LIMIT = 500

type Flags = { against: string; endpoint?: string; local?: true; limit: string }

export function replayCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('replay')
    .description(
      'send stored inputs of read capabilities to a candidate and to what serves, and compare; needs an account key',
    )
    .requiredOption('--against <version>', 'the deployment whose code is compared with the one that serves')
    .option('--endpoint <url>', 'where that code answers (default: the endpoint of its manifest)')
    .option('--local', 'that code is this project’s: it runs in this process')
    .option('--limit <number>', `how many different inputs to send, 1 to ${MAX_LIMIT}`, '50')
    .addHelpText('after', READ_HELP)
    .addHelpText('after', examples(EXAMPLES))
    .action(async ({ against, endpoint, local, limit }: Flags) => {
      if (endpoint !== undefined && local)
        throw usageFailure('--endpoint and --local were both given. Take one of them.')
      const version = numberOf('--against', against, Number.MAX_SAFE_INTEGER)
      const input = {
        version,
        endpoint: endpoint ?? null,
        isLocal: local === true,
        limit: numberOf('--limit', limit, MAX_LIMIT),
      }
      await (await import('./run-replay.ts')).runReplay(deps, terminal, input)
    })
}

function numberOf(option: string, given: string, highest: number): number {
  const number = /^\d{1,9}$/.test(given) ? Number(given) : 0
  if (number >= 1 && number <= highest) return number
  throw usageFailure(
    `${option} must be a whole number from 1${highest > 1e9 ? '' : ` to ${highest}`}, and is “${given}”.`,
  )
}

const READ_HELP = `
Only capabilities whose effect is \`read\` in both deployments are called, at most three times for an input: what serves
twice, for its own noise, and the candidate once. Calls are signed here, with SVC_RUNTIME_SECRET, and not metered.`
