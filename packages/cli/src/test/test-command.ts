import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

const EXAMPLES = ['svc test', 'svc test tests/weather.svc-test.yaml', 'svc test --junit results.xml']

export function testCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('test')
    .description('play the project’s conversations, *.svc-test.yaml and *.svc-test.ts, and check what came of them')
    .argument('[files...]', 'files or folders (default: all of the project)')
    .option('--junit <file>', 'write the results as JUnit XML, too')
    .addHelpText('after', examples(EXAMPLES))
    .action(async (files: string[], { junit }: { junit?: string }) => {
      await (await import('./run-tests.ts')).runTests(deps, terminal, { files, junit: junit ?? null })
    })
}
