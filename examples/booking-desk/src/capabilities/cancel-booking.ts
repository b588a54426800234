import { defineCapability } from '@svc/sdk'
import { cancel, findBooking } from '../store/bookings.ts'
import type { Store } from '../store/open-store.ts'
import { BookingKey } from './input.ts'
import { euros, guestsInWords, presentBooking, stayInWords } from './present-booking.ts'

export function cancelBooking(store: Store) {
  return defineCapability({
    name: 'cancel-booking',
    version: '1.0.0',
    description: 'Cancel a booking for good: its room is free for others at once.',
    effect: 'destructive',
    confirm: true,
    input: BookingKey,
    preview({ booking: number, email }) {
      const { room, dates, guests, totalCents, isCancelled } = findBooking(store, { number, email })
      return {
        title: `Cancel booking ${number}`,
        lines: [
          `${room}, ${stayInWords(dates)}, ${guestsInWords(guests)}`,
          isCancelled ? 'It is cancelled already.' : `Nothing of the ${euros(totalCents)} has to be paid.`,
        ],
      }
    },
    handler({ booking: number, email }) {
      const booking = findBooking(store, { number, email })
      cancel(store, booking)
      return presentBooking({ ...booking, isCancelled: true })
    },
  })
}
