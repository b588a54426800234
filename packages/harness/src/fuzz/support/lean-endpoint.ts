import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'

/** What an endpoint received: its bytes, and the headers that came with them. */
export interface LeanCall {
  headers: IncomingMessage['headers']
  body: string
}

/** An owner's endpoint that verifies nothing and keeps nothing but the last call: made for many calls. */
export interface LeanEndpoint {
  url: string
  calls: number
  lastCall: LeanCall | null
  /** From now on every so-manieth call fails as a capability does; 0 for none. */
  failEvery(count: number): void
  close(): Promise<void>
}

const OUTPUT = '{"output":{"ok":true}}'
const FAILURE = '{"output":null,"error":{"message":"It fails as it was told to."}}'

export async function startLeanEndpoint(): Promise<LeanEndpoint> {
  let every = 0
  const server = createServer((request, response) => answer(request, response))
  const { url, close } = await listenOnFreePort(server)
  const endpoint: LeanEndpoint = {
    url: `${url}/svc`,
    calls: 0,
    lastCall: null,
    failEvery(count) {
      every = count
    },
    close,
  }
  function answer(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      endpoint.calls += 1
      endpoint.lastCall = { headers: request.headers, body: Buffer.concat(pieces).toString() }
      const fails = every > 0 && endpoint.calls % every === 0
      response.writeHead(200, { 'content-type': 'application/json' }).end(fails ? FAILURE : OUTPUT)
    })
  }
  return endpoint
}
