import { callOverMcp, createTeller } from '@svc/example-kit'

// The protocol’s own client lists and calls the tools: `npm run call -- <address of the MCP server>`.
const [url = ''] = process.argv.slice(2)
await callOverMcp(createTeller(process.stdout), { url, tool: 'latest-reading', input: { stationId: 'lighthouse' } })
