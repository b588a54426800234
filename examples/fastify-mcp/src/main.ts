import { fileURLToPath } from 'node:url'
import { runExample } from '@svc/example-kit'
import { createService, serveCapabilities } from './create-service.ts'

await runExample(
  {
    name: 'Coast Weather',
    project: fileURLToPath(new URL('../', import.meta.url)),
    owner: { email: 'owner@weather.example.com', password: 'coast-weather-demo' },
    async start({ port, runtimeId, secret, onError }) {
      const service = createService()
      serveCapabilities(service, { runtimeId, secret, onError })
      const url = await service.app.listen({ host: '127.0.0.1', port })
      return { url, close: () => service.app.close() }
    },
    lookAt({ site, controlPlane, runtimeId }) {
      const mcp = `${controlPlane}/v1/mcp/${runtimeId}`
      return {
        'the REST API': `${site}/stations`,
        'the MCP server': mcp,
        'Claude Code': `claude mcp add --transport http weather ${mcp}`,
        'a client of MCP': `npm run -s call --workspace examples/fastify-mcp -- ${mcp}`,
      }
    },
  },
  process,
)
