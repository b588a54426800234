import { callOverMcp, createTeller } from '@svc/example-kit'

// What the protocol’s own client sees: `npm run call -- <address of the MCP server>`.
const [url = ''] = process.argv.slice(2)
await callOverMcp(createTeller(process.stdout), { url, tool: 'latest-reading', input: { stationId: 'lighthouse' } })
