import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { accountQuery } from '../../api/queries.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'

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
  return (
    <Form
      sending={entering}
      onSend={() => entering.mutate({ email, password })}
      fields={['email', 'password']}
      action={action}
      isWide
      isFocused
    >
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete={autoComplete}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        {...(passwordHint !== undefined && { hint: passwordHint })}
      />
    </Form>
  )
}
