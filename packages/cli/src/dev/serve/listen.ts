import { once } from 'node:events'
import { createServer } from 'node:http'
import type { CapabilityHandler } from '@svc/sdk'
import { toNodeListener } from '@svc/sdk/node'
import { commandFailure } from '../../failures.ts'
import { errorCode, reasonOf } from '../../thrown.ts'

const HOST = '127.0.0.1'

/** Serves a handler on this machine alone; port 0 takes any free one. `url` is where capabilities are called. */
export async function listen(
  handler: CapabilityHandler,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(toNodeListener(handler))
  server.listen(port, HOST)
  await once(server, 'listening').catch((error: unknown) => {
    throw notListening(port, error)
  })
  const address = server.address()
  const taken = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${HOST}:${taken}/svc`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const impatience = setTimeout(() => server.closeAllConnections(), 5_000)
      await closed
      clearTimeout(impatience)
    },
  }
}

function notListening(port: number, error: unknown) {
  if (errorCode(error) !== 'EADDRINUSE') {
    return commandFailure(`Port ${port} cannot be listened on (${reasonOf(error)}).`, [], error)
  }
  return commandFailure(
    `Port ${port} is taken, by another svc dev or the project’s own server perhaps.`,
    ['End that one, or take another port with --port. The runtime’s endpoint has to name the same one.'],
    error,
  )
}
