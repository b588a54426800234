import { callOverMcp, createTeller } from '@svc/example-kit'

// The protocol’s own client lists and calls the tools: `npm run call -- <address of the MCP server>`.
const [url] = process.argv.slice(2)
if (!url) {
  process.stderr.write('Name the address of the MCP server, which `npm start` prints: npm run call -- <address>\n')
  process.exit(2)
}
await callOverMcp(createTeller(process.stdout), { url, tool: 'latest-reading', input: { stationId: 'lighthouse' } })
