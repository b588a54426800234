import { defineCapability } from '@svc/sdk'
import { z } from 'zod'
import { freeRooms } from '../store/bookings.ts'
import type { Store } from '../store/open-store.ts'
import { priceOf, ROOMS } from '../store/rooms.ts'
import { DatesInput, GuestsInput } from './input.ts'
import { euros, guestsInWords, stayInWords } from './present-booking.ts'

export function findRooms(store: Store) {
  return defineCapability({
    name: 'find-rooms',
    version: '1.0.0',
    effect: 'read',
    description: 'Find rooms that are free (available) on the dates and large enough for the guests, with prices.',
    input: z.object({ dates: DatesInput, guests: GuestsInput }),
    handler({ dates, guests }) {
      const rooms = freeRooms(store, dates, guests).map((name) => {
        const { description, sleeps } = ROOMS[name]
        return { name, description, sleeps, total: euros(priceOf(name, dates, guests)) }
      })
      const stay = `from ${dates.arrival} to ${dates.departure} for ${guestsInWords(guests)}`
      const cards = rooms.map(({ name, description, total }) => ({
        type: 'product',
        title: name,
        price: total,
        description,
        actions: [{ type: 'reply', label: 'Book', value: `Book the ${name} ${stay}` }],
      }))
      return { stay: stayInWords(dates), rooms, svc: { cards } }
    },
  })
}
