import type { Booking } from '../store/bookings.ts'
import { type Dates, type Guests, nightsOf } from '../store/rooms.ts'

/** A booking as its guest knows it. */
export function presentBooking({ number, room, dates, guests, totalCents, isCancelled }: Booking) {
  return {
    booking: number,
    status: isCancelled ? 'cancelled' : 'booked',
    room,
    stay: stayInWords(dates),
    guests: guestsInWords(guests),
    total: euros(totalCents),
  }
}

export function stayInWords(dates: Dates): string {
  return `${dates.arrival} to ${dates.departure}, ${counted(nightsOf(dates), 'night')}`
}

export function guestsInWords({ adults, children }: Guests): string {
  const young = children === 1 ? '1 child' : `${children} children`
  return children === 0 ? counted(adults, 'adult') : `${counted(adults, 'adult')} and ${young}`
}

export function euros(cents: number): string {
  return `€${(cents / 100).toFixed(2)}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
