import { Command } from 'commander'
import type { CliDeps } from '../deps.ts'
import { examples } from '../terminal/examples.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function mcpCommand(deps: CliDeps, terminal: Terminal): Command {
  return new Command('mcp')
    .description('show how to connect Claude, ChatGPT, Cursor and VS Code to the runtime as an MCP server')
    .addHelpText('after', examples(['svc mcp', 'svc mcp --json | jq -r .url']))
    .action(async () => (await import('./show-mcp.ts')).showMcp(deps, terminal))
}
