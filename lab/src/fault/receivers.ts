import type { IncomingHttpHeaders } from 'node:http'
import { bodyDigest, computeSignature, SIGNATURE_HEADERS } from '@svc/contract'
import { createHandler, createMemoryNonceStore, defineCapability, defineRuntime } from '@svc/sdk'
import { z } from 'zod'
import type { ScenarioContext } from '../support/scenario.ts'
import { startServing } from '../support/serving.ts'

/** How an owner's receiver changes over to a new secret. */
export const RECEIVER_STYLES = [
  'sdk, old until the end',
  'strict, new at once',
  'sdk, both in a list',
  'strict, at any time',
] as const

export type ReceiverStyle = (typeof RECEIVER_STYLES)[number]

/** A request as a receiver got it. */
export interface Arrival {
  /** Position of the secret that signed it among all that the runtime ever had; -1 for none of them. */
  generation: number
  /** By the service's own clock, epoch milliseconds. */
  signedAt: number
  executionId: string
  callId: string
  isAccepted: boolean
}

type Verify = (headers: IncomingHttpHeaders, body: string) => Promise<{ status: number; text: string }>

const RUNTIME = defineRuntime({
  capabilities: [defineCapability({ name: 'act', version: '1.0.0', description: 'Does act.', handler: () => 'done' })],
})
const Call = z.object({ callId: z.string() })

/** An owner's endpoint that holds certain secrets, and notes which of all there ever were signed each request. */
export async function startReceiver(context: ScenarioContext, style: ReceiverStyle) {
  const noted: { headers: IncomingHttpHeaders; body: string; isAccepted: boolean }[] = []
  const nonceStore = createMemoryNonceStore()
  let runtimeId = ''
  let verify: Verify = async () => ({ status: 503, text: '{}' })
  const url = await startServing(context, async (body, response, { headers }) => {
    const { status, text } = await verify(headers, body)
    noted.push({ headers, body, isAccepted: status === 200 })
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  const withSdk = (secret: readonly string[]): Verify => {
    const handler = createHandler({ runtime: RUNTIME, runtimeId, secret, nonceStore })
    return async (given, body) => {
      const headers = Object.entries(given).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' ? [[name, value]] : [],
      )
      const answer = await handler(new Request('http://receiver/', { method: 'POST', headers, body }))
      return { status: answer.status, text: await answer.text() }
    }
  }
  return {
    style,
    url,
    introduce: (id: string) => {
      runtimeId = id
    },
    /** Holds these from now on, and no others. */
    hold: (...secrets: readonly string[]) => {
      verify = style.startsWith('sdk') ? withSdk(secrets) : strictly(secrets[0] ?? '')
    },
    /** Every request so far; `known` are all secrets that there ever were. */
    arrivals: (known: readonly string[]): Promise<Arrival[]> =>
      Promise.all(
        noted.map(async ({ headers, body, isAccepted }) => ({
          generation: await generationOf(known, headers, body),
          signedAt: Number(headers[SIGNATURE_HEADERS.timestamp]),
          executionId: String(headers['x-svc-execution-id']),
          callId: Call.parse(JSON.parse(body)).callId,
          isAccepted,
        })),
      ),
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

// One secret and a plain comparison: the code of an owner who has read no further than the signing scheme.
function strictly(secret: string): Verify {
  return async (headers, body) =>
    (await generationOf([secret], headers, body)) === 0
      ? { status: 200, text: '{"output":"done"}' }
      : { status: 401, text: '{"error":"signature_mismatch"}' }
}

async function generationOf(secrets: readonly string[], headers: IncomingHttpHeaders, body: string): Promise<number> {
  const parts = {
    runtimeId: String(headers[SIGNATURE_HEADERS.runtimeId]),
    timestamp: String(headers[SIGNATURE_HEADERS.timestamp]),
    nonce: String(headers[SIGNATURE_HEADERS.nonce]),
    bodyDigest: await bodyDigest(new TextEncoder().encode(body)),
  }
  // The newest first: most requests are signed with it.
  for (let index = secrets.length - 1; index >= 0; index -= 1) {
    if ((await computeSignature(secrets[index] ?? '', parts)) === headers[SIGNATURE_HEADERS.signature]) return index
  }
  return -1
}
