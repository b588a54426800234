import { createServer } from 'node:http'
import { listenOnFreePort } from '@svc/testkit'

/** An owner's endpoint that looks at nothing and keeps nothing, so that it costs little beside what is measured. */
export interface FixedEndpoint {
  url: string
  /** How many calls it has answered. */
  readonly calls: number
  close(): Promise<void>
}

const ANSWER = JSON.stringify({ output: { orderId: 'A-1042', state: 'shipped', carrier: 'post', items: 3 } })
const HEADERS = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(ANSWER)) }

/** Starts it in this process. */
export async function startFixedEndpoint(): Promise<FixedEndpoint> {
  let calls = 0
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      calls += 1
      response.writeHead(200, HEADERS).end(ANSWER)
    })
  })
  const { port, close } = await listenOnFreePort(server)
  return {
    url: `http://127.0.0.1:${port}/svc`,
    get calls() {
      return calls
    },
    close,
  }
}
