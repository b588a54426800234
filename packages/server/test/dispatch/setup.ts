import type { JsonObject } from '@svc/contract'
import { type OwnerEndpoint, type OwnerEndpointOptions, startOwnerEndpoint } from '@svc/testkit'
import { onTestFinished } from 'vitest'
import type { DispatchCall, DispatchTarget } from '../../src/dispatch/call-types.ts'
import { createDispatcher, type Dispatcher, type DispatcherDeps } from '../../src/dispatch/dispatch.ts'
import { JsonDocument } from '../../src/lib/json-document.ts'
import { Secret } from '../../src/secrets/secret.ts'

export const TOKEN = 'end-user-token-7f3a9c'
export const NOW = 1_767_225_600_000

export interface DispatcherSetup {
  dispatcher: Dispatcher
  /** Every line that was logged, with its fields, as text. */
  lines: string[]
  /** The reasons of those lines. */
  reasons: unknown[]
  clock: { time: number; now(): number }
  /** How often anything was signed: the number of tries. */
  tries(): number
}

/** A dispatcher with a clock that stands still, closed when the test ends. */
export function setUpDispatcher(options: Partial<DispatcherDeps> & { dispatchMs?: number } = {}): DispatcherSetup {
  const { dispatchMs = 5000, ...deps } = options
  const clock = { time: NOW, now: () => clock.time }
  const lines: string[] = []
  const reasons: unknown[] = []
  let tries = 0
  const dispatcher = createDispatcher({
    limits: { dispatchMs, endpointCalls: 50, responseBytes: 1024 * 1024, responseValues: 50_000 },
    allowLocalEndpoints: true,
    clock,
    resolve: () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    randomNonce: () => `nonce-${++tries}`,
    logger: {
      warn(fields, message) {
        lines.push(JSON.stringify(fields) + message)
        reasons.push(fields['reason'])
      },
    },
    ...deps,
  })
  onTestFinished(() => dispatcher.close())
  return { dispatcher, lines, reasons, clock, tries: () => tries }
}

/** A scripted endpoint whose clock stands where the dispatcher's does, closed when the test ends. */
export async function setUpEndpoint(options: OwnerEndpointOptions = {}): Promise<OwnerEndpoint> {
  const endpoint = await startOwnerEndpoint({ now: () => NOW, ...options })
  onTestFinished(() => endpoint.close())
  return endpoint
}

export function targetOf(endpoint: Pick<OwnerEndpoint, 'url' | 'runtimeId' | 'secret'>): DispatchTarget {
  const { url, runtimeId, secret } = endpoint
  return { ownerId: 'owner', runtimeId, endpoint: url, secrets: { current: new Secret(secret), previous: null } }
}

let calls = 0

type CallFields = Partial<Omit<DispatchCall, 'input' | 'metadata'>> & { input?: JsonObject; metadata?: JsonObject }

export function callOf(fields: CallFields = {}): DispatchCall {
  const number = ++calls
  return {
    executionId: `exec_${number}`,
    callId: `call_${number}`,
    capability: 'search-products',
    endUserToken: new Secret(TOKEN),
    ...fields,
    input: JsonDocument.of(fields.input ?? { query: 'lantern' }),
    metadata: JsonDocument.of(fields.metadata ?? {}),
  }
}
