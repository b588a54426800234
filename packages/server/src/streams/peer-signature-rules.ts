import type { Keyring } from '../secrets/keyring.ts'

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
