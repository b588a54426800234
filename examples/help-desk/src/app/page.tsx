import { cookies } from 'next/headers'
import { SignIn, SignOut } from '../components/account.tsx'
import { HelpChat } from '../components/help-chat.tsx'
import { helpDesk } from '../help-desk.ts'
import { SESSION_COOKIE } from '../session-cookie.ts'
import { searchArticles } from '../store/articles.ts'
import { DEMO_USERS } from '../store/seed.ts'
import { userOf } from '../store/sessions.ts'
import { ticketsOf } from '../store/tickets.ts'

export default async function Page() {
  // First, so that Next makes the page at each request and none while it builds.
  const session = (await cookies()).get(SESSION_COOKIE)?.value
  const { store, chat } = helpDesk()
  const user = userOf(store, session, 'page')
  const [{ email, password }] = DEMO_USERS
  return (
    <main>
      <section>
        <h1>Help desk</h1>
        {user ? <SignOut name={user.name} /> : <SignIn hint={`To try it: ${email} with ${password}`} />}
        {user && (
          <>
            <h2>Your tickets</h2>
            <ul>
              {ticketsOf(store, user).map(({ ticket, subject, status }) => (
                <li key={ticket}>{`${ticket}: ${subject} (${status})`}</li>
              ))}
            </ul>
          </>
        )}
        <h2>Articles</h2>
        {searchArticles(store, '').map(({ slug, title, body }) => (
          <details key={slug}>
            <summary>{title}</summary>
            <p>{body}</p>
          </details>
        ))}
      </section>
      {/* Another user has another chat: nothing of the first one’s stays. */}
      <HelpChat key={user?.id ?? 'nobody'} {...chat} />
    </main>
  )
}
