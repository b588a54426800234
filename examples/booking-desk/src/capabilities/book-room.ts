import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import { book, quote } from '../store/bookings.ts'
import type { Store } from '../store/open-store.ts'
import { ContactInput, DatesInput, GuestsInput, RoomInput } from './input.ts'
import { guestsInWords, presentBooking, stayInWords } from './present-booking.ts'

export function bookRoom(store: Store) {
  return defineCapability({
    name: 'book-room',
    version: '1.0.0',
    description: 'Book (reserve) a room for guests on these dates, under the contact of one of them.',
    confirm: true,
    input: z.object({ room: RoomInput, dates: DatesInput, guests: GuestsInput, contact: ContactInput }),
    // A person reads this and approves it. Where it says something else by then, the call is refused.
    preview(request) {
      const { name, email, phone } = request.contact
      return {
        title: `Book the ${request.room}`,
        lines: [
          stayInWords(request.dates),
          guestsInWords(request.guests),
          `For ${[name, email, ...(phone ? [phone] : [])].join(', ')}`,
        ],
        amount: { value: quote(store, request) / 100, currency: 'EUR' },
      }
    },
    // The call id is the same on a second try: one approval never becomes two bookings.
    handler: (request, { callId }) => presentBooking(book(store, request, { requestId: callId })),
  })
}
