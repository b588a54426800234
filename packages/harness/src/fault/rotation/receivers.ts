import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { bodyDigest, computeSignature, SIGNATURE_HEADERS } from '@svc/contract'
import { createHandler, createMemoryNonceStore, defineCapability, defineRuntime, type NonceStore } from '@svc/sdk'
import { listenOnFreePort } from '@svc/testkit'
import { z } from 'zod'
import type { Arrival } from './judge.ts'

/** How an owner's receiver changes over to a new secret. */
export const RECEIVER_STYLES = [
  'sdk, old until the end',
  'strict, new at once',
  'sdk, both in a list',
  'strict, at any time',
] as const

export type ReceiverStyle = (typeof RECEIVER_STYLES)[number]

/** An owner's endpoint that holds certain secrets, and notes which of all there ever were signed each request. */
export interface Receiver {
  readonly style: ReceiverStyle
  readonly url: string
  /** Every request so far, in the order of their answers. */
  arrivals(): Promise<Arrival[]>
  /** Tells it who it is; before that it refuses everything. */
  introduce(runtimeId: string, secret: string): void
  /** A secret that the service may sign with from now on. */
  learn(secret: string): void
  /** Holds these from now on, and no others. */
  hold(secrets: readonly string[]): void
  close(): Promise<void>
}

type Verify = (headers: IncomingHttpHeaders, body: Buffer) => Promise<{ status: number; text: string }>

const RUNTIME = defineRuntime({
  capabilities: [defineCapability({ name: 'act', version: '1.0.0', description: 'Does act.', handler: () => 'done' })],
})

export async function startReceiver(style: ReceiverStyle): Promise<Receiver> {
  const noted: { headers: IncomingHttpHeaders; body: Buffer; isAccepted: boolean }[] = []
  const known: string[] = []
  const nonceStore = createMemoryNonceStore()
  let runtimeId = ''
  let verify: Verify = async () => ({ status: 503, text: '{}' })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Uint8Array[] = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    const { status, text } = await verify(request.headers, body)
    noted.push({ headers: request.headers, body, isAccepted: status === 200 })
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const { url, close } = await listenOnFreePort(server)
  const hold = (secrets: readonly string[]) => {
    verify = style.startsWith('sdk') ? verifyWithSdk(runtimeId, secrets, nonceStore) : verifyStrictly(secrets)
  }
  return {
    style,
    url,
    // Only now: a request may come before the answer that tells of the secret it is signed with.
    arrivals: () =>
      Promise.all(
        noted.map(async ({ headers, body, isAccepted }) => ({
          generation: await generationOf(known, headers, body),
          signedAt: Number(headerOf(headers, SIGNATURE_HEADERS.timestamp)),
          executionId: headerOf(headers, 'x-svc-execution-id'),
          callId: callIdOf(body),
          isAccepted,
        })),
      ),
    introduce(id, secret) {
      runtimeId = id
      known.push(secret)
      hold([secret])
    },
    learn: (secret) => void known.push(secret),
    hold,
    close,
  }
}

function verifyWithSdk(runtimeId: string, secret: readonly string[], nonceStore: NonceStore): Verify {
  const handler = createHandler({ runtime: RUNTIME, runtimeId, secret, nonceStore })
  return async (headers, body) => {
    const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    )
    const answer = await handler(
      new Request('http://receiver/', { method: 'POST', headers: sent, body: new Uint8Array(body) }),
    )
    return { status: answer.status, text: await answer.text() }
  }
}

// One secret and a plain comparison: what an owner writes who has read no further than the signing scheme.
function verifyStrictly(secrets: readonly string[]): Verify {
  return async (headers, body) => {
    const [secret = ''] = secrets
    const isGenuine = (await generationOf([secret], headers, body)) === 0
    return isGenuine
      ? { status: 200, text: '{"output":"done"}' }
      : { status: 401, text: '{"error":"signature_mismatch"}' }
  }
}

/** Which of these secrets signed a request, by its position; -1 for none. */
async function generationOf(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer): Promise<number> {
  const parts = {
    runtimeId: headerOf(headers, SIGNATURE_HEADERS.runtimeId),
    timestamp: headerOf(headers, SIGNATURE_HEADERS.timestamp),
    nonce: headerOf(headers, SIGNATURE_HEADERS.nonce),
    bodyDigest: await bodyDigest(new Uint8Array(body)),
  }
  const given = headerOf(headers, SIGNATURE_HEADERS.signature)
  // The newest first: most requests are signed with it.
  for (let index = secrets.length - 1; index >= 0; index -= 1) {
    if ((await computeSignature(secrets[index] ?? '', parts)) === given) return index
  }
  return -1
}

const Call = z.object({ callId: z.string() })

function callIdOf(body: Buffer): string {
  return Call.parse(JSON.parse(body.toString())).callId
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}
