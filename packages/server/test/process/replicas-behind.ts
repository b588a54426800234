import { randomBytes } from 'node:crypto'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { createTestPlace, type TestEngine } from '../support/engines.ts'
import { startPostgresRelay } from '../support/postgres-relay.ts'
import { startGatedEcho } from './gated-echo.ts'
import { ask, createOwner, publish } from './operator.ts'
import { startServerHere } from './server-here.ts'
import { startServerProcess } from './server-process.ts'
import { until } from './until.ts'

/** Where each replica listens, on the same ports. */
export const HOSTS = ['127.0.0.2', '127.0.0.3', '127.0.0.4']

/**
 * Three replicas as a network of containers or machines has them: one port, an address each. One is a program, to be killed;
 * one is to be stopped.
 */
export async function startReplicas(engine: TestEngine) {
  const { gate, double, endpoint } = await startGatedEcho()
  const { location } = await createTestPlace(engine)
  const [port, opsPort] = [await freePort(), await freePort()]
  const relay = await startPostgresRelay(location)
  const environment = {
    DATABASE_URL: relay.url,
    SVC_MASTER_KEY: randomBytes(32).toString('base64'),
    SVC_ALLOW_LOCAL_ENDPOINTS: '1',
    SVC_MODEL: 'openai-compatible:test-model',
    SVC_MODEL_BASE_URL: double.baseUrl,
    PORT: String(port),
    SVC_OPS_PORT: String(opsPort),
    SVC_DRAIN_DELAY_MS: '4000',
  }
  const [first = '', second = '', third = ''] = HOSTS
  const at = (HOST: string) => ({ ...environment, HOST, SVC_OPS_HOST: HOST })
  const [killed, stopped] = await Promise.all([
    startServerProcess(at(first)),
    startServerHere(at(second)),
    startServerHere({ ...at(third), SVC_DRAIN_DELAY_MS: '0' }),
  ])
  /** Publishes `echo` through the balancer at this address, once that answers. */
  const publishAt = async (url: string) => {
    const { apiKey } = await createOwner(environment, 'enterprise')
    await untilAnswered(`${url}/health`)
    const runtime = await publish(url, apiKey, endpoint)
    const call = () => ask(`${url}/v1/capabilities/${runtime.runtimeId}/echo`, { body: { input: { text: 'a' } } })
    return { url, runtime, call }
  }
  return { port, opsPort, killed, stopped, gate, relay, publishAt }
}

export async function listen({ host, port }: { host: string; port: number }, answer: RequestListener): Promise<void> {
  const server = createHttpServer(answer)
  await new Promise<void>((resolve) => {
    server.listen(port, host, resolve)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('the server listened on no port')
  return address.port
}

export async function untilAnswered(url: string): Promise<void> {
  await until(() =>
    fetch(url, { headers: { connection: 'close' } }).then(
      (answer) => answer.ok,
      () => false,
    ),
  )
}
