import { ChangePasswordRequest, type Role, type Tier } from '@svc/contract'
import { createOwner, normalizeEmail, type Owner } from '../accounts/accounts.ts'
import type { AccountDeps } from '../accounts/deps.ts'
import { changeRole, findMember, listMembers, type Member } from '../accounts/member-store.ts'
import { makeResetLink } from '../accounts/password-reset.ts'
import { MAX_MEMBERS } from '../accounts/rules.ts'
import { resetPassword } from '../accounts/sign-in.ts'
import { findOwnerOf, updateTier } from '../accounts/store.ts'
import { turnOff } from '../accounts/two-factor-store.ts'
import { listOwnKeys, revokeAccountKey } from '../credentials/account-keys.ts'
import { MAX_ACCOUNT_KEYS, MAX_MEMBER_KEYS } from '../credentials/rules.ts'
import { AppError } from '../errors.ts'
import { Secret } from '../secrets/secret.ts'
import { CommandError } from './command-error.ts'
import type { AccountCommand } from './parse-command.ts'
import type { TypedPassword } from './read-password.ts'

export interface AccountCommandDeps
  extends Pick<AccountDeps, 'db' | 'clock' | 'logger' | 'newId' | 'keyring' | 'passwords' | 'baseUrl'> {
  readPassword(): Promise<TypedPassword>
}

/** Runs a command about one account and returns what is printed. Throws a {@link CommandError} where there is no such account. */
export async function runAccountCommand(deps: AccountCommandDeps, command: AccountCommand): Promise<object> {
  const { email } = command
  const address = normalizeEmail(email)
  const account = async () => existing(email, await findOwnerOf(deps.db, address))
  const member = async () => existing(email, await findMember(deps.db, address))
  switch (command.name) {
    case 'create-owner':
      return createKey(deps, email, command.tier ?? 'free')
    case 'set-tier':
      return existing(email, await updateTier(deps.db, address, command.tier, deps.clock.now()))
    case 'set-password':
      return existing(email, await resetPassword(deps, { email, password: await askForPassword(deps) }))
    case 'reset-password': {
      const whose = await member()
      return { ownerId: whose.ownerId, email: address, ...(await makeResetLink(deps, whose)) }
    }
    case 'list-members': {
      const { ownerId, email } = await account()
      const members = await listMembers(deps.db, ownerId)
      return { ownerId, email, members: members.map((each) => ({ email: each.email, role: each.role })) }
    }
    case 'set-role':
      return setRole(deps, await member(), command.role)
    case 'disable-totp': {
      const { ownerId, memberId } = await member()
      return { ownerId, email: address, wasOn: await turnOff(deps.db, memberId) }
    }
    case 'list-keys':
      return listKeys(deps, await account())
    case 'revoke-key': {
      const { ownerId, email } = await account()
      const { keyId, revokedAt } = await revokeAccountKey(deps, { ownerId, only: null }, command.key)
      return { ownerId, email, keyId, revokedAt }
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
    if (!(error instanceof AppError) || error.code !== 'forbidden') throw error
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

async function setRole(deps: AccountCommandDeps, { memberId, ownerId, email }: Member, role: Role): Promise<object> {
  const changed = await changeRole(deps.db, { ownerId, memberId, role, by: null })
  if (changed === 'last owner')
    throw new CommandError(`${email} is the account’s last owner. Make somebody else owner first.`)
  if (typeof changed === 'string') throw new CommandError(`${email} was removed meanwhile.`)
  deps.logger.info({ ownerId, memberId, role, by: 'operator' }, 'a member has another role')
  return { ownerId, email, role }
}

// The store keeps up to one revoked key for each key of the account that is allowed.
const MOST_KEYS = 2 * MAX_ACCOUNT_KEYS + MAX_MEMBERS * MAX_MEMBER_KEYS

async function listKeys(deps: AccountCommandDeps, { ownerId, email, tier }: Owner): Promise<object> {
  const { keys } = await listOwnKeys(deps, { ownerId, only: null }, { limit: MOST_KEYS, cursor: null })
  const valid = keys.filter(({ revokedAt }) => revokedAt === null)
  return { ownerId, email, tier, keys: valid.map(({ revokedAt, ...key }) => key) }
}
