import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

export interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(compared: { hash: string; password: string }): Promise<boolean>
}

const SALT_BYTES = 16
const KEY_BYTES = 64
// 16 MiB and about 50 ms a hash. `maxmem` is twice what these values need.
const COST: ScryptOptions = { N: 16_384, r: 16, p: 1, maxmem: 2 * 128 * 16_384 * 16 }

/** scrypt as `<salt>:<key>`, both in hex; passwords are compared in Unicode's form NFKC. */
export const SCRYPT: PasswordHasher = {
  async hash(password) {
    const salt = randomBytes(SALT_BYTES).toString('hex')
    return `${salt}:${(await deriveKey(password, salt)).toString('hex')}`
  },
  async verify({ hash, password }) {
    const [salt = '', key = ''] = hash.split(':')
    const expected = Buffer.from(key, 'hex')
    const derived = await deriveKey(password, salt)
    return expected.length === derived.length && timingSafeEqual(expected, derived)
  },
}

// The salt goes in as its hex text: stored hashes were made so.
function deriveKey(password: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)))
  })
}
