import { ChangePasswordRequest, type Tier } from '@svc/contract'
import { createOwner, normalizeEmail, type Owner, setTier } from '../accounts/accounts.ts'
import type { AccountDeps } from '../accounts/deps.ts'
import { makeResetLink } from '../accounts/password-reset.ts'
import { resetPassword } from '../accounts/sign-in.ts'
import { findOwner } from '../accounts/store.ts'
import { removeTwoFactor } from '../accounts/two-factor.ts'
import { listOwnKeys, revokeAccountKey } from '../credentials/account-keys.ts'
import { MAX_ACCOUNT_KEYS } from '../credentials/rules.ts'
import { AppError } from '../errors.ts'
import { Secret } from '../secrets/secret.ts'
import { CommandError } from './command-error.ts'
import type { AccountCommand } from './parse-command.ts'
import type { TypedPassword } from './read-password.ts'

export interface AccountCommandDeps
  extends Pick<AccountDeps, 'db' | 'clock' | 'newId' | 'keyring' | 'passwords' | 'baseUrl'> {
  readPassword(): Promise<TypedPassword>
}

/** Runs a command about one account and returns what is printed. Throws a {@link CommandError} where there is no such account. */
export async function runAccountCommand(deps: AccountCommandDeps, command: AccountCommand): Promise<object> {
  const { email } = command
  switch (command.name) {
    case 'create-owner':
      return createKey(deps, email, command.tier ?? 'free')
    case 'set-tier':
      return existing(email, await setTier(deps, command))
    case 'set-password':
      return existing(email, await resetPassword(deps, { email, password: await askForPassword(deps) }))
    case 'reset-password': {
      const owner = existing(email, await findOwner(deps.db, normalizeEmail(email), 'email'))
      return { ownerId: owner.ownerId, email: owner.email, ...(await makeResetLink(deps, owner)) }
    }
    case 'disable-totp':
      return existing(email, await removeTwoFactor(deps, email))
    case 'list-keys':
      return listKeys(deps, existing(email, await findOwner(deps.db, normalizeEmail(email), 'email')))
    case 'revoke-key': {
      const owner = existing(email, await findOwner(deps.db, normalizeEmail(email), 'email'))
      const { keyId, revokedAt } = await revokeAccountKey(deps, owner, command.key)
      return { ownerId: owner.ownerId, email: owner.email, keyId, revokedAt }
    }
  }
}

function existing<T>(email: string, account: T | null): T {
  if (account !== null) return account
  throw new CommandError(`No account has the address ${email}. Make one with create-owner.`)
}

async function createKey(deps: AccountCommandDeps, email: string, tier: Tier): Promise<object> {
  try {
    const { owner, apiKey } = await createOwner(deps, { email, tier })
    return { ...owner, apiKey: apiKey.reveal() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const commands = [`list-keys --email ${email}`, `revoke-key --email ${email} --key <keyId>`]
    throw new CommandError([error.message, ...commands.map((each) => `  npm run -s admin -- ${each}`)].join('\n'))
  }
}

async function askForPassword({ readPassword }: AccountCommandDeps): Promise<Secret> {
  const { first, repeated } = await readPassword()
  const password = ChangePasswordRequest.shape.newPassword.safeParse(first)
  if (!password.success) throw new CommandError(`The password ${password.error.issues[0]?.message}`)
  if (repeated !== null && repeated !== first) throw new CommandError('The two passwords differ: nothing was set.')
  return new Secret(password.data)
}

async function listKeys(deps: AccountCommandDeps, { ownerId, email, tier }: Owner): Promise<object> {
  const owner = { ownerId, email, tier }
  // The store keeps up to one revoked key for each valid key that is allowed.
  const { keys } = await listOwnKeys(deps, owner, { limit: 2 * MAX_ACCOUNT_KEYS, cursor: null })
  const valid = keys.filter(({ revokedAt }) => revokedAt === null)
  return { ...owner, keys: valid.map(({ revokedAt, ...key }) => key) }
}
