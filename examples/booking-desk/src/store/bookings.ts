import { DeskError } from './desk-error.ts'
import type { Store } from './open-store.ts'
import { type Dates, type Guests, nightsOf, priceOf, ROOM_NAMES, ROOMS, type RoomName } from './rooms.ts'

export interface Contact {
  name: string
  email: string
  phone?: string | undefined
}

export interface BookingRequest {
  room: RoomName
  dates: Dates
  guests: Guests
  contact: Contact
}

export interface Booking extends BookingRequest {
  /** `BD-1001` */
  number: string
  totalCents: number
  isCancelled: boolean
}

const MOST_NIGHTS = 30

/** The rooms that are free on these dates and large enough. Throws a {@link DeskError} for dates that cannot be. */
export function freeRooms(store: Store, dates: Dates, guests: Guests): RoomName[] {
  checkDates(store, dates)
  return ROOM_NAMES.filter((room) => isLargeEnough(room, guests) && !isTaken(store, room, dates))
}

/** Checks a request and gives its price. Throws a {@link DeskError} where it cannot be booked. */
export function quote(store: Store, { room, dates, guests }: BookingRequest): number {
  checkDates(store, dates)
  if (!isLargeEnough(room, guests)) {
    throw new DeskError(`The ${room} sleeps ${ROOMS[room].sleeps}: that is not enough for ${peopleOf(guests)} people.`)
  }
  if (isTaken(store, room, dates)) throw new DeskError(`The ${room} is taken on these dates.`)
  return priceOf(room, dates, guests)
}

/** Books a room. The same request id books once: a second try gives the first one’s booking. */
export function book(store: Store, request: BookingRequest, { requestId }: { requestId: string }): Booking {
  // Immediate, so that of two bookings at once the second one sees the first.
  const insert = store.database.transaction(() => {
    const earlier = readBooking(store, 'request_id', requestId)
    if (earlier) return earlier
    const totalCents = quote(store, request)
    const { room, dates, guests, contact } = request
    store.database
      .prepare(
        `INSERT INTO bookings (request_id, room, arrival, departure, adults, children, name, email, phone, total_cents)
         VALUES (@requestId, @room, @arrival, @departure, @adults, @children, @name, @email, @phone, @totalCents)`,
      )
      .run({ requestId, room, ...dates, ...guests, phone: null, ...contact, totalCents })
    return readBooking(store, 'request_id', requestId)
  })
  const booking = insert.immediate()
  if (!booking) throw new Error('the booking is not there')
  return booking
}

/** A booking by number and e-mail address: whoever knows both is its guest. */
export function findBooking(store: Store, { number, email }: { number: string; email: string }): Booking {
  const digits = Number(/^\s*(?:BD-?)?(\d{1,9})\s*$/i.exec(number)?.[1])
  const booking = readBooking(store, 'number', digits)
  if (!booking || booking.contact.email.toLowerCase() !== email.trim().toLowerCase()) {
    throw new DeskError(`There is no booking ${number} under ${email}.`)
  }
  return booking
}

export function cancel(store: Store, { number }: Booking): void {
  store.database
    .prepare('UPDATE bookings SET cancelled_at = ? WHERE number = ? AND cancelled_at IS NULL')
    .run(store.now(), Number(number.slice(3)))
}

/** Bookings that have not ended, the next one first. */
export function comingBookings(store: Store): Booking[] {
  return store.database
    .prepare<[string], Row>(
      'SELECT * FROM bookings WHERE departure > ? AND cancelled_at IS NULL ORDER BY arrival, number',
    )
    .all(today(store))
    .map(toBooking)
}

function checkDates(store: Store, dates: Dates): void {
  const nights = nightsOf(dates)
  if (!(nights >= 1)) throw new DeskError('The departure has to be after the arrival.')
  if (nights > MOST_NIGHTS) throw new DeskError(`A stay has ${MOST_NIGHTS} nights at most.`)
  if (dates.arrival < today(store)) throw new DeskError(`The arrival is in the past: today is ${today(store)}.`)
}

function today(store: Store): string {
  return new Date(store.now()).toISOString().slice(0, 10)
}

function peopleOf({ adults, children }: Guests): number {
  return adults + children
}

function isLargeEnough(room: RoomName, guests: Guests): boolean {
  return ROOMS[room].sleeps >= peopleOf(guests)
}

function isTaken(store: Store, room: RoomName, { arrival, departure }: Dates): boolean {
  const overlapping = store.database.prepare<[string, string, string]>(
    'SELECT 1 FROM bookings WHERE room = ? AND departure > ? AND arrival < ? AND cancelled_at IS NULL',
  )
  return overlapping.get(room, arrival, departure) !== undefined
}

interface Row extends Dates, Guests {
  number: number
  room: RoomName
  name: string
  email: string
  phone: string | null
  total_cents: number
  cancelled_at: number | null
}

function readBooking(store: Store, column: 'number' | 'request_id', value: number | string): Booking | null {
  const row = store.database.prepare<[number | string], Row>(`SELECT * FROM bookings WHERE ${column} = ?`).get(value)
  return row ? toBooking(row) : null
}

function toBooking({ number, room, arrival, departure, adults, children, name, email, phone, ...row }: Row): Booking {
  return {
    number: `BD-${number}`,
    room,
    dates: { arrival, departure },
    guests: { adults, children },
    contact: { name, email, ...(phone !== null && { phone }) },
    totalCents: row.total_cents,
    isCancelled: row.cancelled_at !== null,
  }
}
