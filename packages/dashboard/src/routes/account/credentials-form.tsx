import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { messagesFor } from '../../api/api-error.ts'
import type { Schemas } from '../../api/client.ts'
import { accountQuery } from '../../api/queries.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { CodeField } from './code-field.tsx'

interface CredentialsFormProps {
  action: string
  PasswordField: (field: { value: string; onChange: (password: string) => void }) => ReactNode
  next: string | undefined
  send: (credentials: { email: string; password: string; code?: string }) => Promise<Schemas['Session']>
}

/** An address, a password, a code where two-factor sign-in is on, and on to where one wanted to go. */
export function CredentialsForm({ action, PasswordField, next, send }: CredentialsFormProps): ReactNode {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  // Null until the service asks for one.
  const [code, setCode] = useState<string | null>(null)
  const router = useRouter()
  const queryClient = useQueryClient()
  const entering = useMutation({
    meta: { isSignIn: true },
    mutationFn: send,
    onError: (error) => {
      if (messagesFor(error, 'code').length > 0) setCode((typed) => typed ?? '')
    },
    onSuccess: async ({ account }) => {
      queryClient.clear()
      queryClient.setQueryData(accountQuery.queryKey, account)
      router.history.push(router.history.createHref(`/dashboard${next ?? '/'}`))
    },
  })
  return (
    <Form
      sending={entering}
      onSend={() => entering.mutate({ email, password, ...(code !== null && { code }) })}
      fields={['email', 'password', 'code']}
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
      <PasswordField value={password} onChange={setPassword} />
      {code !== null && (
        <CodeField
          takesRecoveryCode
          takesFocus
          value={code}
          onChange={setCode}
          // That one is needed is no fault of somebody who could not know it.
          {...(entering.variables?.code === undefined && { errors: [] })}
        />
      )}
    </Form>
  )
}
