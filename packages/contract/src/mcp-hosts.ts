/** A host of agents, and what a person copies into it to connect an MCP server. */
export interface McpHost {
  id: 'claude-code' | 'claude' | 'cursor' | 'vs-code' | 'chatgpt'
  name: string
  /** Where it goes, as a phrase that ends with a colon. */
  place: string
  /** A command, a file's content or the address. */
  text: string
}

/** Where a runtime is an MCP server. */
export function mcpAddress(baseUrl: string, runtimeId: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/v1/mcp/${runtimeId}`
}

/** How common hosts are told of an MCP server. `title` is what people call it; hosts get a name made of it. */
export function mcpHosts({ title, url }: { title: string; url: string }): McpHost[] {
  const name = nameOf(title)
  const file = (content: object) => JSON.stringify(content, null, 2)
  return [
    {
      id: 'claude-code',
      name: 'Claude Code',
      place: 'Run in a terminal:',
      text: `claude mcp add --transport http ${name} '${url}'`,
    },
    {
      id: 'claude',
      name: 'Claude and Claude Desktop',
      place: 'Settings → Connectors → Add custom connector, with this address:',
      text: url,
    },
    {
      id: 'cursor',
      name: 'Cursor',
      place: 'In ~/.cursor/mcp.json, or .cursor/mcp.json of a project:',
      text: file({ mcpServers: { [name]: { url } } }),
    },
    {
      id: 'vs-code',
      name: 'VS Code',
      place: 'In .vscode/mcp.json of a project:',
      text: file({ servers: { [name]: { type: 'http', url } } }),
    },
    {
      id: 'chatgpt',
      name: 'ChatGPT',
      place: 'Settings → Apps → Advanced settings → Developer mode, then Apps → Create app, with this address:',
      text: url,
    },
  ]
}

/** Whether an address is one of this machine or network, which hosts that run elsewhere cannot reach. */
export function isOutOfReach(url: string): boolean {
  const { hostname } = new URL(url)
  return /^(localhost|.*\.(localhost|local|internal)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|\[.*\])$/.test(
    hostname,
  )
}

// Letters, digits and hyphens are what every host takes.
function nameOf(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.match(/[a-z0-9]+/g) ?? []
  return words.join('-').slice(0, 40).replace(/-$/, '') || 'svc'
}
