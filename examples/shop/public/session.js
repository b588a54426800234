import { byId } from './element.js'

const KEY = 'hollow-pine-session'

/** Signing in and out, and requests in the customer’s name. The session lives in this tab only and ends with it. */
export function startSession({ onSignIn, onSignOut }) {
  const dialog = byId('sign-in-dialog')
  show(read())

  byId('sign-in').addEventListener('click', () => dialog.showModal())
  byId('sign-in-cancel').addEventListener('click', () => dialog.close())
  byId('sign-out').addEventListener('click', () => {
    void signOut()
    onSignOut()
  })
  byId('sign-in-form').addEventListener('submit', async (event) => {
    event.preventDefault()
    const problem = await signIn()
    byId('sign-in-problem').textContent = problem ?? ''
    if (problem) return
    dialog.close()
    onSignIn()
  })

  /** What the shop answers to the customer who asks. Throws an error whose message is for the customer. */
  async function send(method, path, body) {
    const token = read()?.token
    if (!token) throw new Error('You are signed out.')
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(path, { method, headers, body: JSON.stringify(body) }).catch(() => null)
    if (!response) throw new Error('The shop cannot be reached.')
    const answer = await response.json()
    // A late answer is not for whoever is at this browser now.
    if (read()?.token !== token) throw new Error('You have signed out meanwhile.')
    if (response.ok) return answer
    if (response.status === 401) {
      keep(null)
      onSignOut()
    }
    throw new Error(answer.error.message)
  }

  return {
    currentToken: () => read()?.token,
    open: () => dialog.showModal(),
    send,
    /** Whether a customer is signed in, after asking for it where nobody is. */
    ensure() {
      if (read()) return true
      dialog.showModal()
      return new Promise((resolve) => {
        dialog.addEventListener('close', () => resolve(read() !== null), { once: true })
      })
    },
  }
}

async function signIn() {
  const credentials = { email: byId('email').value, password: byId('password').value }
  const response = await fetch('/api/sessions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  }).catch(() => null)
  if (!response) return 'The shop cannot be reached.'
  const answer = await response.json()
  if (!response.ok) return answer.error.message
  byId('password').value = ''
  keep(answer)
  return null
}

async function signOut() {
  const session = read()
  keep(null)
  const headers = { authorization: `Bearer ${session?.token}` }
  // Signed out here in any case; a shop that cannot be reached lets the session run out by itself.
  await fetch('/api/sessions', { method: 'DELETE', headers }).catch(() => null)
}

function keep(session) {
  if (session) sessionStorage.setItem(KEY, JSON.stringify(session))
  else sessionStorage.removeItem(KEY)
  show(session)
}

function read() {
  const stored = sessionStorage.getItem(KEY)
  return stored ? JSON.parse(stored) : null
}

function show(session) {
  byId('customer').textContent = session?.name ?? ''
  byId('customer').hidden = !session
  byId('sign-out').hidden = !session
  byId('sign-in').hidden = Boolean(session)
}
