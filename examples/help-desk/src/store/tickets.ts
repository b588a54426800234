import type { Store } from './open-store.ts'
import type { User } from './sessions.ts'

export interface Ticket {
  /** `T-1001` */
  ticket: string
  subject: string
  description: string
  status: 'open' | 'answered' | 'closed'
}

const SELECT = `SELECT 'T-' || number AS ticket, subject, description, status FROM tickets`

/** The newest first. */
export function ticketsOf({ database }: Store, user: User): Ticket[] {
  return database.prepare<[number], Ticket>(`${SELECT} WHERE user_id = ? ORDER BY number DESC LIMIT 50`).all(user.id)
}

/** One of this user’s own tickets; undefined for any other. */
export function findTicket({ database }: Store, user: User, ticket: string): Ticket | undefined {
  const number = Number(/^\s*(?:T-?)?(\d{1,9})\s*$/i.exec(ticket)?.[1])
  return database.prepare<[number, number], Ticket>(`${SELECT} WHERE user_id = ? AND number = ?`).get(user.id, number)
}

/** The same request id opens one ticket: a second try gives the first one’s. */
export function openTicket(
  { database, now }: Store,
  user: User,
  { subject, description, requestId }: { subject: string; description: string; requestId: string },
): Ticket {
  database
    .prepare(
      `INSERT INTO tickets (request_id, user_id, subject, description, opened_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (request_id) DO NOTHING`,
    )
    .run(requestId, user.id, subject, description, now())
  const ticket = database
    .prepare<[string, number], Ticket>(`${SELECT} WHERE request_id = ? AND user_id = ?`)
    .get(requestId, user.id)
  if (!ticket) throw new Error('the ticket is not there')
  return ticket
}
