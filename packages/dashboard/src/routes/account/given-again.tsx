import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { twoFactorQuery } from '../../api/queries.ts'
import { CodeField } from './code-field.tsx'
import { CurrentPasswordField } from './current-password-field.tsx'

interface GivenAgain {
  /** The names under which the service speaks of the fields. */
  names: readonly string[]
  fields: ReactNode
  isMissing: boolean
  /** For the body of the request. */
  body: { password: string; code?: string }
}

/** The password and, where two-factor sign-in is on, a code: given again for a change that a session alone may not make. */
export function useGivenAgain(): GivenAgain {
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const hasSecondFactor = useQuery(twoFactorQuery).data?.isOn === true
  return {
    names: ['password', 'code'],
    fields: (
      <>
        <CurrentPasswordField value={password} onChange={setPassword} />
        {hasSecondFactor && <CodeField takesRecoveryCode value={code} onChange={setCode} />}
      </>
    ),
    isMissing: password === '' || (hasSecondFactor && code === ''),
    body: { password, ...(hasSecondFactor && { code }) },
  }
}
