import { startNameServer as startServer } from '@svc/testkit'
import { onTestFinished } from 'vitest'

/** Answers every question for an address with these, as the name server of a container network does. Gives its port. */
export async function startNameServer(addresses: readonly string[]): Promise<number> {
  const { port, close } = await startServer(() => addresses, { ttlSeconds: 1 })
  onTestFinished(close)
  return port
}
