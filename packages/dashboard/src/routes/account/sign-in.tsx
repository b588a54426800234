import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { CredentialsForm } from './credentials-form.tsx'
import { CredentialsPage } from './credentials-page.tsx'
import { CurrentPasswordField } from './current-password-field.tsx'

export function SignIn(): ReactNode {
  const search = useSearch({ from: '/sign-in' })
  const footer = (
    <>
      <span className="mb-2 block">
        <Link to="/forgot-password" className="font-medium text-accent underline underline-offset-2">
          Forgot your password?
        </Link>
      </span>
      No account yet?{' '}
      <Link to="/sign-up" search={search} className="font-medium text-accent underline underline-offset-2">
        Sign up
      </Link>
    </>
  )
  return (
    <CredentialsPage title="Log in" footer={footer}>
      <CredentialsForm
        action="Log in"
        PasswordField={CurrentPasswordField}
        next={search.next}
        send={(body) => bodyOf(api.POST('/v1/auth/sign-in', { body }))}
      />
    </CredentialsPage>
  )
}
