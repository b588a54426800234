import { CapabilityError } from '@svc/sdk'
import type { Store } from '../store/open-store.ts'
import { type User, userOf } from '../store/sessions.ts'

/** Whose chat token it is. The words of the refusal are for the model to pass on. */
export function requireUser(store: Store, token: string): User {
  const user = userOf(store, token, 'chat')
  if (!user) throw new CapabilityError('You are not signed in any more. Please sign in again.')
  return user
}
