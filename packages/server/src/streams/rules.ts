import type { Keyring } from '../secrets/keyring.ts'

interface RunName {
  runtimeId: string
  executionId: string
}

/** The key that resumes and cancels one execution. Derived, so that every replica can check it and nothing is stored. */
export function resumeKeyOf(keyring: Pick<Keyring, 'hash'>, { runtimeId, executionId }: RunName): string {
  return keyring.hash(`resume ${runtimeId} ${executionId}`)
}

/** Compares in constant time, under every master key. */
export function isResumeKey(
  keyring: Pick<Keyring, 'isHashOf'>,
  { runtimeId, executionId }: RunName,
  given: string,
): boolean {
  return keyring.isHashOf(`resume ${runtimeId} ${executionId}`, given)
}

/** One server-sent event. `data` is one line. */
export function frameOf(id: number, type: string, data: string): string {
  return `id: ${id}\nevent: ${type}\ndata: ${data}\n\n`
}

/** A request from one replica to another, as both sign it. */
export interface PeerCall {
  method: 'GET' | 'POST'
  /** Path and query. */
  path: string
}

// The clocks of replicas follow that of their database.
const PEER_TOLERANCE_MS = 30_000

/** The header that proves that a request comes from a replica with the same master key. */
export function signPeerCall(keyring: Pick<Keyring, 'hash'>, call: PeerCall, now: number): string {
  return `${now}.${keyring.hash(peerText(call, String(now)))}`
}

export function isPeerCall(
  keyring: Pick<Keyring, 'isHashOf'>,
  call: PeerCall,
  { header, now }: { header: string; now: number },
): boolean {
  const [at = '', hash = '', ...rest] = header.split('.')
  if (rest.length > 0 || !/^\d{13}$/.test(at)) return false
  return keyring.isHashOf(peerText(call, at), hash) && Math.abs(now - Number(at)) <= PEER_TOLERANCE_MS
}

function peerText({ method, path }: PeerCall, at: string): string {
  return `peer ${at} ${method} ${path}`
}
