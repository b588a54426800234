import type { SignIn } from '../conversation/snapshot.ts'
import { button, element } from './dom.ts'
import type { Strings } from './strings.ts'

/** The way to sign in for what was refused. */
export function signInView({ state }: SignIn, strings: Strings, signIn: () => void): HTMLElement {
  const made = button('action', strings.signIn, signIn)
  made.classList.add('primary')
  const root = element('div', { part: 'sign-in row' }, made)
  if (state === 'asked') root.append(element('span', { part: 'note', text: strings.signInAsked }))
  return root
}
