import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { accountQuery } from '../../api/queries.ts'
import { Card } from '../../ui/card.tsx'
import { CodeId } from '../../ui/code-id.tsx'
import { Facts } from '../../ui/facts.tsx'
import { capitalized, formatTime } from '../../ui/format.ts'
import { Loading } from '../../ui/loading.tsx'
import { Page } from '../../ui/page.tsx'
import { roleName } from '../role.ts'
import { AccountKeys } from './account-keys.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { PasswordForm } from './password-form.tsx'
import { Sessions } from './sessions.tsx'
import { TwoFactorCard } from './two-factor-card.tsx'

export function Account(): ReactNode {
  const { data: account } = useQuery(accountQuery)
  return (
    <Page title="Account">
      <Card title="Profile">
        {account ? (
          <Facts
            facts={[
              ['E-mail', account.member?.email ?? account.email],
              ['Role', roleName(account.role)],
              ...(isOther(account) ? [['Account', account.email] as const] : []),
              ['Plan', capitalized(account.tier)],
              ['Account id', <CodeId key="id" id={account.ownerId} label="the account" />],
              ['Created', formatTime(account.createdAt)],
            ]}
          />
        ) : (
          <Loading rows={1} />
        )}
      </Card>
      <AccountKeys />
      <PasswordForm />
      <TwoFactorCard />
      <Sessions />
      {account?.role === 'owner' && <DeleteAccount account={account} />}
    </Page>
  )
}

// The address of an account is that of one of its owners.
function isOther({ email, member }: Schemas['Account']): boolean {
  return member !== null && member.email !== email
}
