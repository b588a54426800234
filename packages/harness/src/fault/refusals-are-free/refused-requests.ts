import type { ClientRequest } from '../../support/client.ts'
import { CAPABILITY } from '../planned-model.ts'

/** Requests that must be refused with one status, sent in turn. */
export interface Refusal {
  status: 401 | 403 | 404 | 400 | 429
  requests: readonly ClientRequest[]
}

export interface Targets {
  /** A runtime of a page that may call, with a list of origins and a capability that needs an end user. */
  open: { runtimeId: string; publicKey: string; needsEndUser: string }
  /** A runtime whose account has used up its quota, and that account's key. */
  exhausted: { runtimeId: string; publicKey: string; apiKey: string }
}

const POST = 'POST' as const
const EXECUTE = '/v1/runtime/execute'
const CALL = '/v1/runtime/capability'
const CHAT = { messages: [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }] }
const WORK = { op: 0, ms: 0, reset: false }
const UNKNOWN_KEY = `svc_pk_${'a'.repeat(38)}`
const FOREIGN = { origin: 'https://elsewhere.example.com' }

/** One entry for each kind of refusal, through every door that can give it. */
export function refusals({ open, exhausted }: Targets): Refusal[] {
  const broker = (runtimeId: string, capability: string) => `/v1/capabilities/${runtimeId}/${capability}`
  const call = { capability: CAPABILITY, input: WORK }
  const owned = { ...CHAT, runtimeId: exhausted.runtimeId }
  return [
    {
      status: 401,
      requests: [
        { method: POST, path: EXECUTE, key: UNKNOWN_KEY, body: CHAT },
        { method: POST, path: CALL, key: UNKNOWN_KEY, body: call },
        { method: POST, path: EXECUTE, body: CHAT },
        { method: POST, path: broker(open.runtimeId, open.needsEndUser), body: { input: WORK } },
      ],
    },
    {
      status: 403,
      requests: [
        { method: POST, path: EXECUTE, key: open.publicKey, body: CHAT, headers: FOREIGN },
        { method: POST, path: CALL, key: open.publicKey, body: call, headers: FOREIGN },
      ],
    },
    {
      status: 404,
      requests: [
        { method: POST, path: broker(open.runtimeId, 'nothing'), body: { input: WORK } },
        { method: POST, path: broker('rt_nobody0001', CAPABILITY), body: { input: WORK } },
        { method: POST, path: CALL, key: open.publicKey, body: { ...call, capability: 'nothing' } },
      ],
    },
    {
      status: 400,
      requests: [
        { method: POST, path: EXECUTE, key: open.publicKey, body: { messages: 'Hello' } },
        { method: POST, path: CALL, key: open.publicKey, body: { capability: CAPABILITY, input: [] } },
        { method: POST, path: broker(open.runtimeId, CAPABILITY), body: { input: 'work' } },
        { method: POST, path: EXECUTE, key: open.publicKey, body: { ...CHAT, metadata: { text: 'x'.repeat(9_000) } } },
      ],
    },
    {
      status: 429,
      requests: [
        { method: POST, path: '/v1/executions', key: exhausted.apiKey, body: owned },
        { method: POST, path: EXECUTE, key: exhausted.publicKey, body: CHAT },
        { method: POST, path: broker(exhausted.runtimeId, CAPABILITY), body: { input: WORK } },
      ],
    },
  ]
}
