import { isJsonObject } from '@svc/contract'
import type { FailureKind } from '../../failures.ts'
import type { ListedCapability } from '../list/listed-capability.ts'

/** Why a version of the project cannot be served. */
export type WorkerFailure = { readonly kind: FailureKind; readonly message: string; readonly lines: readonly string[] }

/** A request or an answer, whole. Bodies travel as the bytes that they are: the signature covers them. */
export type CarriedRequest = { readonly headers: [string, string][]; readonly body: Uint8Array }
export type CarriedAnswer = { readonly status: number; readonly headers: [string, string][]; readonly body: Uint8Array }

/** From the process that runs the project’s code. */
export type FromWorker =
  | { readonly type: 'svc:ready'; readonly capabilities: ListedCapability[] }
  | { readonly type: 'svc:failed'; readonly failure: WorkerFailure }
  | { readonly type: 'svc:answer'; readonly id: number; readonly answer: CarriedAnswer }
  | { readonly type: 'svc:claim'; readonly id: number; readonly nonce: string; readonly expiresAt: number }

/** To the process that runs the project’s code. */
export type ToWorker =
  | { readonly type: 'svc:request'; readonly id: number; readonly request: CarriedRequest }
  | { readonly type: 'svc:left'; readonly id: number }
  | { readonly type: 'svc:claimed'; readonly id: number; readonly isFirst: boolean | null }

const FROM_WORKER: ReadonlySet<unknown> = new Set<FromWorker['type']>([
  'svc:ready',
  'svc:failed',
  'svc:answer',
  'svc:claim',
])
const TO_WORKER: ReadonlySet<unknown> = new Set<ToWorker['type']>(['svc:request', 'svc:left', 'svc:claimed'])

/** True for messages of our own; the project’s code may send others on the same channel. */
export function isFromWorker(message: unknown): message is FromWorker {
  return isJsonObject(message) && FROM_WORKER.has(message['type'])
}

/** As {@link isFromWorker}, for the other direction. */
export function isToWorker(message: unknown): message is ToWorker {
  return isJsonObject(message) && TO_WORKER.has(message['type'])
}
