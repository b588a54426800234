import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, bodyOf } from '../../api/client.ts'
import { CredentialsForm } from './credentials-form.tsx'
import { CredentialsPage } from './credentials-page.tsx'
import { NewPasswordField } from './new-password-field.tsx'

export function SignUp(): ReactNode {
  const search = useSearch({ from: '/sign-up' })
  const footer = (
    <>
      Already have an account?{' '}
      <Link to="/sign-in" search={search} className="font-medium text-accent underline underline-offset-2">
        Log in
      </Link>
    </>
  )
  return (
    <CredentialsPage title="Create an account" lead="The free plan needs no card." footer={footer}>
      <CredentialsForm
        action="Sign up"
        PasswordField={NewPasswordField}
        next={search.next}
        send={(body) => bodyOf(api.POST('/v1/auth/sign-up', { body }))}
      />
    </CredentialsPage>
  )
}
