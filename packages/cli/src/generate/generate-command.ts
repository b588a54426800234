import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

const HELP = `
Files are written to .svc/generated/<generator>/. What they were made from is kept in .svc/generate.cache.json, which
belongs to this machine: add it to .gitignore.`

const EXAMPLES = [
  'svc generate          # write what has changed',
  'svc generate --check  # in CI: fail if what is committed is not what the project makes',
]

export function generateCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('generate')
    .description('write the files that are made from the capabilities')
    .option('--force', 'run every generator, whatever the cache says')
    .option('--check', 'run every generator, write nothing, and fail if anything would change')
    .addHelpText('after', HELP)
    .addHelpText('after', examples(EXAMPLES))
    .action(async (options: { force?: true; check?: true }) => {
      const { generate } = await import('./generate.ts')
      await generate(deps, terminal, { isForced: options.force === true, isCheck: options.check === true })
    })
}
