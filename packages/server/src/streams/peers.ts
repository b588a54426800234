import type { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import type { Clock } from '../lib/clock.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { type PeerCall, signPeerCall } from './peer-signature-rules.ts'

export const PEER_HEADER = 'x-svc-peer'

export interface PeerAnswer {
  status: number
  body: Readable
}

/** Asks other replicas. They answer it themselves and ask nobody else. */
export interface Peers {
  /** `url` is the address of the replica. Rejects where it cannot be reached. */
  ask(url: string, call: PeerCall): Promise<PeerAnswer>
  close(): Promise<void>
}

// Streams have a heartbeat every 15 s. A cancelled execution answers once its capability calls have ended.
const TIMES = { connect: { timeout: 2_000 }, headersTimeout: 60_000, bodyTimeout: 45_000 }

export function createPeers({ keyring, clock }: { keyring: Keyring; clock: Clock }): Peers {
  // Made at the first call: one server alone has no peers.
  let agent: Agent | null = null
  return {
    async ask(url, call) {
      agent ??= new Agent({ ...TIMES, pipelining: 1 })
      const headers = { [PEER_HEADER]: signPeerCall(keyring, call, clock.now()) }
      const { statusCode, body } = await request(`${url}${call.path}`, {
        dispatcher: agent,
        method: call.method,
        headers,
      })
      // A stream that is given up or breaks is an error, which ends the process where nobody listens.
      body.on('error', () => {})
      return { status: statusCode, body }
    },
    async close() {
      await agent?.destroy()
    },
  }
}
