/** The kinds of key: an account’s own, and the two of a runtime. */
export const KEY_PREFIXES = { account: 'svc_ak_', deploy: 'svc_sk_', public: 'svc_pk_' } as const

export type KeyKind = keyof typeof KEY_PREFIXES

const SHAPE = /^svc_(ak|sk|pk)_[0-9A-Za-z]{38}$/
const CHECKSUM_LENGTH = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * The kind of a well-formed key, or null. A key is its prefix, 32 random base62 characters and 6 of checksum,
 * so a mistyped one is refused without a look-up. The checksum says nothing about whether the key was ever issued.
 */
export function keyKindOf(key: string): KeyKind | null {
  if (!SHAPE.test(key)) return null
  const body = key.slice(0, -CHECKSUM_LENGTH)
  if (keyChecksum(body) !== key.slice(-CHECKSUM_LENGTH)) return null
  if (key.startsWith(KEY_PREFIXES.account)) return 'account'
  return key.startsWith(KEY_PREFIXES.deploy) ? 'deploy' : 'public'
}

/** CRC-32 of a key without its checksum, as six base62 digits. */
export function keyChecksum(body: string): string {
  let rest = crc32(body)
  let digits = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** The display form of a key: its first 11 characters, an ellipsis, its last 4. */
export function abbreviateKey(key: string): string {
  return `${key.slice(0, 11)}…${key.slice(-4)}`
}

function crc32(text: string): number {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index) & 0xff
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
