import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function manifestCommand(deps: CliDeps, terminal: Terminal): Command {
  const manifest = new Command('manifest').description('look at what runtimes publish').helpCommand(false)
  manifest
    .command('pull')
    .description('read a runtime’s public manifest; no key and no project are needed')
    .option('--runtime <id>', 'the runtime, rt_… (default: SVC_RUNTIME_ID)')
    .option('--out <file>', 'write it to this file (default in a project: public/.well-known/agent-discovery.json)')
    .option('--stdout', 'print it, in a project, too')
    .addHelpText(
      'after',
      examples([
        'svc manifest pull',
        'svc manifest pull --runtime rt_exampleShop --stdout',
        'svc manifest pull --runtime rt_exampleShop --out agent-discovery.json',
      ]),
    )
    .action(async (options: { runtime?: string; out?: string; stdout?: boolean }) => {
      const { pullManifest } = await import('./pull-manifest.ts')
      const { runtime = null, out = null, stdout = false } = options
      await pullManifest(deps, terminal, { runtime, out, isPrinted: stdout })
    })
  return manifest
}
