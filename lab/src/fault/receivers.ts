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

const RUNTIME = defineRuntime({
  capabilities: [defineCapability({ name: 'act', version: '1.0.0', description: 'Does act.', handler: () => 'done' })],
})
const Call = z.object({ callId: z.string() })

/** An owner's endpoint that holds certain secrets, and notes which of all there ever were signed each request. */
export async function startReceiver(context: ScenarioContext, style: (typeof RECEIVER_STYLES)[number]) {
  const noted: { headers: IncomingHttpHeaders; body: string; isAccepted: boolean }[] = []
  const nonceStore = createMemoryNonceStore()
  let accepts = async (_headers: IncomingHttpHeaders, _body: string) => false
  const url = await startServing(context, async (body, response, { headers }) => {
    const isAccepted = await accepts(headers, body)
    noted.push({ headers, body, isAccepted })
    response.writeHead(isAccepted ? 200 : 401, { 'content-type': 'application/json' })
    response.end(isAccepted ? '{"output":"done"}' : '{"error":"signature_mismatch"}')
  })
  return {
    style,
    url,
    /** Holds these from now on, and no others. */
    hold(runtimeId: string, ...secrets: readonly string[]) {
      const handler = createHandler({ runtime: RUNTIME, runtimeId, secret: secrets, nonceStore })
      accepts = async (headers, body) => {
        // One secret and a plain comparison: the code of an owner who has read no further than the signing scheme.
        if (!style.startsWith('sdk')) return (await generationOf(secrets.slice(0, 1), headers, body)) === 0
        const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
        return (await handler(new Request('http://receiver/', { method: 'POST', headers: given, body }))).ok
      }
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

async function generationOf(secrets: readonly string[], headers: IncomingHttpHeaders, body: string): Promise<number> {
  const parts = {
    runtimeId: String(headers[SIGNATURE_HEADERS.runtimeId]),
    timestamp: String(headers[SIGNATURE_HEADERS.timestamp]),
    nonce: String(headers[SIGNATURE_HEADERS.nonce]),
    bodyDigest: await bodyDigest(new TextEncoder().encode(body)),
  }
  const signatures = await Promise.all(secrets.map((secret) => computeSignature(secret, parts)))
  return signatures.indexOf(String(headers[SIGNATURE_HEADERS.signature]))
}
