'use client'

import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'

export function SignOut({ name }: { name: string }) {
  const router = useRouter()
  async function signOut() {
    await fetch('/api/session', { method: 'DELETE' })
    router.refresh()
  }
  return (
    <p className="account">
      {name}{' '}
      <button onClick={() => void signOut()} type="button">
        Sign out
      </button>
    </p>
  )
}

export function SignIn({ hint }: { hint: string }) {
  const router = useRouter()
  const [problem, setProblem] = useState('')
  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const { email, password } = Object.fromEntries(new FormData(event.currentTarget))
    const response = await fetch('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    })
    setProblem(response.ok ? '' : (await response.json()).error.message)
    if (response.ok) router.refresh()
  }
  return (
    <form className="account" onSubmit={(event) => void signIn(event)}>
      <label>
        E-mail <input autoComplete="username" name="email" required type="email" />
      </label>
      <label>
        Password <input autoComplete="current-password" name="password" required type="password" />
      </label>
      <button type="submit">Sign in</button>
      <p role="alert">{problem}</p>
      <p>{hint}</p>
    </form>
  )
}
