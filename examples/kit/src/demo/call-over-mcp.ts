import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Teller } from './teller.ts'

/** Connects the protocol's own client to a runtime, lists the tools and calls one. */
export async function callOverMcp(
  tell: Teller,
  { url, tool, input }: { url: string; tool: string; input: Record<string, unknown> },
): Promise<void> {
  tell.step('An agent host connects to the same deployment over MCP')
  const options = { versionNegotiation: { mode: 'auto' as const } }
  const client = new Client({ name: 'svc-demo', version: '1.0.0' }, options)
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  try {
    tell.fact(
      'server',
      `${client.getServerVersion()?.title ?? ''}, revision ${client.getNegotiatedProtocolVersion() ?? ''}`,
    )
    const { tools } = await client.listTools()
    tell.fact('tools', tools.map(({ name }) => name).join(', '))
    const result = await client.callTool({ name: tool, arguments: input })
    if (result.isError || result.structuredContent === undefined) throw new Error(`the tool “${tool}” gave no output`)
    tell.fact(tool, `${JSON.stringify(result.structuredContent).slice(0, 160)}…`)
  } finally {
    await client.close()
  }
}
