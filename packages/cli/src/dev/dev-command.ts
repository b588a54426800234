import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { usageFailure } from '../failures.ts'
import { DEFAULT_PORT } from '../project/default-port.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { CallFlags } from './call-one.ts'

type DevFlags = { port?: string; watch: boolean; check?: true; record?: string | true }

export function devCommand(deps: CliDeps, terminal: Terminal): Command {
  const dev = new Command('dev')
    .description('list, check and serve the capabilities of this project on this machine')
    .option('--port <port>', `where to listen on 127.0.0.1 (default: PORT, else ${DEFAULT_PORT})`)
    .option('--no-watch', 'do not reload when files change')
    .option('--check', 'list and check, types too where TypeScript is installed, and do not serve')
    .option('--record [folder]', 'chat here, and write each conversation as a test (default: into tests)')
    .addHelpText('after', SERVING_HELP)
    .addHelpText(
      'after',
      examples([
        'svc dev',
        'svc dev --check',
        'svc dev --record',
        `svc dev call opening-hours --input '{"day": "sunday"}'`,
      ]),
    )
    .action(async ({ port, watch, check, record }: DevFlags) => {
      if (check) return (await import('./check-project.ts')).checkProject(deps, terminal)
      const { serveProject } = await import('./serve/serve-project.ts')
      await serveProject(deps, terminal, {
        port: port ?? null,
        isWatching: watch,
        recordInto: record === true ? 'tests' : (record ?? null),
      })
    })
  return dev.addCommand(callCommand(deps, terminal))
}

function callCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('call')
    .description('run one capability in this process, as a signed call would; no key and no server are needed')
    .argument('<capability>', 'its name')
    .option('--input <json>', 'its input, a JSON object; - reads it from stdin (default: {})')
    .option('--input-file <file>', 'a file that holds the input')
    .option('--end-user-token-env <name>', 'the environment variable that holds an end user’s token')
    .option('--permissions <names>', 'what the end user may do, separated by commas (default: all that it asks for)')
    .option('--metadata <json>', 'metadata of the call, a JSON object')
    .addHelpText(
      'after',
      examples([
        `svc dev call opening-hours --input '{"day": "sunday"}'`,
        'svc dev call order-status --input-file order.json --end-user-token-env SHOP_SESSION',
      ]),
    )
    .action(async (capability: string, flags: CallFlags, call: Command) => {
      refuseServingOptions(call.parent)
      const { callOne } = await import('./call-one.ts')
      await callOne(deps, terminal, { capability, flags })
    })
}

// Commander takes them wherever they stand.
function refuseServingOptions(dev: Command | null): void {
  const given = dev?.options.find((option) => dev.getOptionValueSource(option.attributeName()) === 'cli')
  if (given) throw usageFailure(`${given.long} is an option of svc dev; svc dev call has none of that name.`)
}

const SERVING_HELP = `
It serves http://127.0.0.1:<port>/svc and answers signed calls alone: SVC_RUNTIME_ID and SVC_RUNTIME_SECRET have to be
set, in .env for example. What changed on disk is reloaded; while it does not load, the last version goes on answering.`
