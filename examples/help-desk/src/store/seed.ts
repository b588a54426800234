import { hashPassword } from '@svc/example-kit'
import type Database from 'better-sqlite3'

/** Who may sign in to try it. The passwords are public: this help desk helps nobody. */
export const DEMO_USERS = [
  { email: 'noor@example.com', name: 'Noor Haddad', password: 'paper-lantern' },
  { email: 'tomas@example.com', name: 'Tomás Rey', password: 'green-kettle' },
] as const

const ARTICLES = [
  [
    'reset-password',
    'Reset a password',
    'Choose “Forgot password” on the sign-in page. The link that we mail is good for an hour.',
  ],
  [
    'vpn',
    'Connect to the VPN',
    'Install the client from the software centre, sign in, and choose “Office”. It needs the second factor.',
  ],
  [
    'printer',
    'Set up a printer',
    'Printers on your floor are found by themselves. Jammed paper: open the side door and pull it out slowly.',
  ],
  [
    'new-phone',
    'Move to a new phone',
    'Before you wipe the old phone, add the new one under “Second factor”. Else the desk has to reset it.',
  ],
  [
    'shared-folder',
    'Share a folder',
    'Right-click the folder, choose “Share”, and add people. Guests from outside get a link that ends after 30 days.',
  ],
] as const

export function seed(database: Database.Database): void {
  const article = database.prepare('INSERT INTO articles (slug, title, body) VALUES (?, ?, ?)')
  for (const row of ARTICLES) article.run(...row)
  const user = database.prepare('INSERT INTO users (email, name, password_hash) VALUES (?, ?, ?)')
  for (const { email, name, password } of DEMO_USERS) user.run(email, name, hashPassword(password))
  database
    .prepare(`INSERT INTO tickets (number, request_id, user_id, subject, description, status, opened_at)
              VALUES (1001, 'seed', 1, 'Second screen stays black', 'Since the move to the third floor.', 'answered', 0)`)
    .run()
}
