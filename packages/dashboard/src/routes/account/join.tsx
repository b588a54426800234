import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError, messagesFor } from '../../api/api-error.ts'
import { api, bodyOf, type Schemas } from '../../api/client.ts'
import { accountQuery } from '../../api/queries.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Loading } from '../../ui/loading.tsx'
import { LoadError, Notice } from '../../ui/notice.tsx'
import { roleName } from '../role.ts'
import { CredentialsPage } from './credentials-page.tsx'
import { NewPasswordField } from './new-password-field.tsx'

/** Where the link of an invitation leads. Its token stands behind “#”, which no server is sent. */
export function Join(): ReactNode {
  const token = useLocation({ select: ({ hash }) => hash })
  const { data, error, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => bodyOf(api.POST('/v1/auth/invitation', { body: { token } })),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const isOver = token === '' || (error instanceof ApiError && messagesFor(error, 'token').length > 0)
  const footer = (
    <>
      A member already?{' '}
      <Link to="/sign-in" className="font-medium text-accent underline underline-offset-2">
        Log in
      </Link>
    </>
  )
  return (
    <CredentialsPage title="Accept the invitation" footer={footer}>
      {isOver && <Over />}
      {error && !isOver && <LoadError error={error} onRetry={() => void refetch()} />}
      {!isOver && !error && !data && <Loading />}
      {!isOver && data && <Accept token={token} invitation={data} />}
    </CredentialsPage>
  )
}

function Over(): ReactNode {
  return (
    <Notice kind="bad">
      This link is not valid: it was used or revoked, has expired, or was replaced by a newer one. Ask the owner of the
      account for a new one.
    </Notice>
  )
}

interface AcceptProps {
  token: string
  invitation: Schemas['OpenInvitation']
}

function Accept({ token, invitation: { account, email, role } }: AcceptProps): ReactNode {
  const [password, setPassword] = useState('')
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const accepting = useMutation({
    meta: { isSignIn: true },
    mutationFn: () => bodyOf(api.POST('/v1/auth/invitation/accept', { body: { token, password } })),
    onSuccess: async (session) => {
      queryClient.clear()
      queryClient.setQueryData(accountQuery.queryKey, session.account)
      await navigate({ to: '/', replace: true })
    },
  })
  if (messagesFor(accepting.error, 'token').length > 0) return <Over />
  return (
    <div className="flex flex-col gap-5">
      <p className="text-sm text-muted">
        Join the account <strong className="font-medium text-ink [overflow-wrap:anywhere]">{account}</strong> as{' '}
        {roleName(role).toLowerCase()}.
      </p>
      <Form
        sending={accepting}
        onSend={() => accepting.mutate()}
        fields={['password']}
        action="Join account"
        isWide
        isFocused
      >
        <TextField label="E-mail" type="email" autoComplete="username" value={email} readOnly />
        <NewPasswordField value={password} onChange={setPassword} />
      </Form>
    </div>
  )
}
