import { randomBytes } from 'node:crypto'
import { invalidField, limited, noMail } from '../errors.ts'
import { isoTime } from '../lib/clock.ts'
import type { CoreDeps } from '../lib/core-deps.ts'
import { networkOf } from '../lib/network.ts'
import type { Mail } from '../mail/mailer.ts'
import type { Secret } from '../secrets/secret.ts'
import { normalizeEmail } from './accounts.ts'
import { countAttempt } from './attempts.ts'
import type { AccountDeps } from './deps.ts'
import { findMember, type Member } from './member-store.ts'
import * as store from './password-store.ts'
import { IPV6_BITS, inWords, RESET_MS } from './rules.ts'

/**
 * Mails a link to the member of an address. The look-up is part of what follows the answer, so that neither the answer nor its
 * time tells whether there is a member.
 */
export async function askForReset(deps: AccountDeps, email: string, ip: string): Promise<void> {
  const { mailer } = deps
  if (!mailer) throw noMail()
  if (!mailer.hasRoom()) throw limited('Too many mails are waiting to be sent. Try again in a minute.', 60_000)
  const address = normalizeEmail(email)
  await countAttempt(deps, [
    ['reset/address', address],
    ['reset/network', networkOf(ip, IPV6_BITS.signUp)],
  ])
  mailer.post(networkOf(ip, IPV6_BITS.hashing), async () => {
    const member = await findMember(deps.db, address)
    return member && mailWith(await makeResetLink(deps, member), member)
  })
}

/** A new link of the member, in place of any earlier one. The token is in its fragment, which browsers send to no server. */
export async function makeResetLink(
  deps: Pick<CoreDeps, 'db' | 'clock' | 'keyring' | 'baseUrl'>,
  { memberId, ownerId }: Member,
): Promise<{ link: string; expiresAt: string }> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = deps.clock.now() + RESET_MS
  const hashed = { token_hash: deps.keyring.hash(text(token)), expires_at: expiresAt }
  await store.putResetLink(deps.db, { member_id: memberId, owner_id: ownerId, ...hashed })
  const page = new URL('/dashboard/new-password', deps.baseUrl())
  return { link: `${page.href}#${token}`, expiresAt: isoTime(expiresAt) }
}

interface NewPassword {
  token: string
  password: Secret
  ip: string
  revokeKeys?: boolean | undefined
}

/** Sets the password of a link's member, once, and ends their sessions. Their second factor stays. */
export async function setForgottenPassword(deps: AccountDeps, given: NewPassword): Promise<void> {
  const { token, password, ip, revokeKeys = false } = given
  await countAttempt(deps, [['reset-link/network', networkOf(ip, IPV6_BITS.attempts)]])
  const hashes = deps.keyring.hashes(text(token))
  const memberId = await store.findResetLink(deps.db, hashes, deps.clock.now())
  if (memberId === null) throw invalidLink()
  const place = { key: `reset ${memberId}`, isKnown: true }
  const passwordHash = await deps.passwords.run(place, (hasher) => hasher.hash(password.reveal()))
  const use = { hashes, memberId, passwordHash, revokeKeys, now: deps.clock.now() }
  if (!(await store.usePasswordLink(deps.db, use))) throw invalidLink()
}

function mailWith({ link }: { link: string }, { email }: Member): Mail {
  const lines = [
    `Somebody asked for a new password for the account ${email}.`,
    'Set it here:',
    link,
    `The link works once, for ${inWords(RESET_MS)}. A newer mail of this kind ends it.`,
    'If it was not you, ignore this mail: your password stays as it is.',
  ]
  return { to: email, subject: 'Set a new password', text: `${lines.join('\n\n')}\n` }
}

const text = (token: string) => `password-reset:${token}`
const invalidLink = () =>
  invalidField('token', 'is not valid: the link was used, has expired, or was replaced by a newer one.')
