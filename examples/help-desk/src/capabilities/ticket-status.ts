import { CapabilityError, defineCapability } from '@svc/sdk'
import { z } from 'zod'
import type { Store } from '../store/open-store.ts'
import { findTicket } from '../store/tickets.ts'
import { requireUser } from './require-user.ts'

export function ticketStatusCapability(store: Store) {
  return defineCapability({
    name: 'ticket-status',
    version: '1.0.0',
    effect: 'read',
    description: 'Check the status of my ticket by its number: whether it is open, answered or closed.',
    requiresEndUser: true,
    input: z.object({ ticket: z.string().min(1).max(20).describe('Ticket number, such as T-1001.') }),
    handler({ ticket }, { endUserToken }) {
      // Looked up among this user’s tickets: the model may have been talked into another number.
      const found = findTicket(store, requireUser(store, endUserToken), ticket)
      if (!found) throw new CapabilityError(`You have no ticket ${ticket}.`)
      return found
    },
  })
}
