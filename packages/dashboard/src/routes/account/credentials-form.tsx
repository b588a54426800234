import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { messageBeside, messagesFor } from '../../api/api-error.ts'
import type { Schemas } from '../../api/client.ts'
import { accountQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'

interface CredentialsFormProps {
  action: string
  passwordHint?: string
  autoComplete: 'current-password' | 'new-password'
  next: string | undefined
  send: (credentials: { email: string; password: string }) => Promise<Schemas['Session']>
}

/** An address, a password, and on to where one wanted to go. */
export function CredentialsForm({ action, passwordHint, autoComplete, next, send }: CredentialsFormProps): ReactNode {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const router = useRouter()
  const queryClient = useQueryClient()
  const entering = useMutation({
    meta: { isSignIn: true },
    mutationFn: send,
    onSuccess: async ({ account }) => {
      queryClient.clear()
      queryClient.setQueryData(accountQuery.queryKey, account)
      router.history.push(router.history.createHref(`/dashboard${next ?? '/'}`))
    },
  })
  const problem = messageBeside(entering.error, ['email', 'password'])
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        entering.mutate({ email, password })
      }}
    >
      <TextField
        label="E-mail"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        errors={messagesFor(entering.error, 'email')}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete={autoComplete}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        errors={messagesFor(entering.error, 'password')}
        {...(passwordHint !== undefined && { hint: passwordHint })}
      />
      {problem !== null && <Notice kind="bad">{problem}</Notice>}
      <Button kind="primary" type="submit" isBusy={entering.isPending}>
        {action}
      </Button>
    </form>
  )
}
