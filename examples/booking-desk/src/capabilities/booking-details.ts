import { defineCapability } from '@svc/sdk'
import { findBooking } from '../store/bookings.ts'
import type { Store } from '../store/open-store.ts'
import { BookingKey } from './input.ts'
import { presentBooking } from './present-booking.ts'

export function bookingDetails(store: Store) {
  return defineCapability({
    name: 'booking-details',
    version: '1.0.0',
    effect: 'read',
    description: 'Show one booking: its room, dates, guests, price and status.',
    input: BookingKey,
    handler: ({ booking: number, email }) => presentBooking(findBooking(store, { number, email })),
  })
}
