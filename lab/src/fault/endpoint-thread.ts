import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { parentPort } from 'node:worker_threads'
import { CapabilityCall } from '@svc/contract'
import { commitFault, listenOnFreePort } from '@svc/testkit'
import { FAULTS, isFault } from './endpoint-behaviours.ts'

/** Calls by their path, which is `/<behaviour>/<round>`. */
const requests = new Map<string, number>()
/** How often each call had its effect, by call id. */
const effects = new Map<string, number>()
const SLOW_MS = 2_000

const server = createServer((request, response) => {
  text(request)
    .then((body) => take(request.url ?? '', body, response))
    .catch(() => response.destroy())
})

function take(path: string, body: string, response: ServerResponse): void {
  const behaviour = path.split('/')[1] ?? ''
  const { callId, mode } = CapabilityCall.parse(JSON.parse(body))
  if (mode === 'reconcile') {
    const output = effects.has(callId) ? { status: 'completed', output: null } : { status: 'never' }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ output }))
    return
  }
  requests.set(path, (requests.get(path) ?? 0) + 1)
  if (takesEffect(behaviour, callId)) effects.set(callId, (effects.get(callId) ?? 0) + 1)
  answer(response, behaviour)
}

// Every second call whose answer is unusable has its effect all the same. A redirect says that the call was not taken.
function takesEffect(behaviour: string, callId: string): boolean {
  if (!isFault(behaviour)) return true
  return behaviour !== 'redirect' && callId.charCodeAt(callId.length - 1) % 2 === 0
}

function answer(response: ServerResponse, behaviour: string): void {
  if (isFault(behaviour)) {
    const chosen = FAULTS[behaviour]
    if ('fault' in chosen) commitFault(chosen.fault, response)
    else flood(response, Buffer.from(chosen.flood.repeat(1_000)))
  } else setTimeout(good, behaviour === 'slow' ? SLOW_MS : 0, response)
}

function good(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":{"order":"A-1001"}}')
}

function flood({ socket }: ServerResponse, bytes: Buffer): void {
  const more = () => {
    while (socket && !socket.destroyed && socket.write(bytes));
  }
  socket?.on('drain', more).on('error', () => undefined)
  more()
}

const { port } = await listenOnFreePort(server)
parentPort?.on('message', (asked) => parentPort?.postMessage([...(asked === 'hits' ? requests : effects)]))
parentPort?.postMessage(port)
