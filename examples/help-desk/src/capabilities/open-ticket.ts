import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import type { Store } from '../store/open-store.ts'
import { openTicket } from '../store/tickets.ts'
import { requireUser } from './require-user.ts'

export function openTicketCapability(store: Store) {
  return defineCapability({
    name: 'open-ticket',
    version: '1.0.0',
    description: 'Open (create) a ticket at the help desk for a problem that no article solves.',
    requiresEndUser: true,
    input: z.object({
      subject: z.string().trim().min(1).max(120).describe('The problem in a few words.'),
      description: z.string().trim().max(2000).default('').describe('What happened, and what was tried.'),
    }),
    // The call id is the same on a second try: one problem never becomes two tickets.
    handler: (input, { endUserToken, callId }) =>
      openTicket(store, requireUser(store, endUserToken), { ...input, requestId: callId }),
  })
}
