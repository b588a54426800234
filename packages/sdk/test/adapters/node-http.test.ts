import { toNodeListener } from '@svc/sdk/node'
import { describeAdapter, PATHS } from './support/adapter-suite.ts'
import { listen, sendTo } from './support/serve.ts'

describeAdapter('plain Node', {
  hasRoutes: true,
  tellsDepartures: true,
  answersRejections: true,
  advice: /read the body before this handler\. Mount/,
  async open(handler) {
    const listener = toNodeListener(handler)
    const { origin } = await listen(async (request, response) => {
      const { url = '' } = request
      if (url !== PATHS.parsed && url !== PATHS.neighbour) return listener(request, response)
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
      if (url === PATHS.parsed) return listener(Object.assign(request, { body }), response)
      response.end(JSON.stringify(body))
    })
    return { send: (sent) => sendTo(origin, sent), faults: [] }
  },
})
