export interface Room {
  name: string
  description: string
  /** Adults and children together. */
  sleeps: number
  /** A night for two adults. */
  nightCents: number
}

export const ROOM_NAMES = ['Harbour Room', 'Garden Room', 'Loft', 'Family Room'] as const

export const ROOMS: Readonly<Record<(typeof ROOM_NAMES)[number], Omit<Room, 'name'>>> = {
  'Harbour Room': { description: 'Two windows to the boats, one double bed.', sleeps: 2, nightCents: 98_00 },
  'Garden Room': {
    description: 'Ground floor, a door to the garden, a cot on request.',
    sleeps: 3,
    nightCents: 110_00,
  },
  Loft: { description: 'Under the roof, a double bed and two bunks.', sleeps: 4, nightCents: 124_00 },
  'Family Room': { description: 'Two rooms with one door, six beds, a small kitchen.', sleeps: 6, nightCents: 168_00 },
}

export interface Guests {
  adults: number
  children: number
}

/** First and last day, `YYYY-MM-DD`. The room is free for others from the last day on. */
export interface Dates {
  arrival: string
  departure: string
}

export type RoomName = (typeof ROOM_NAMES)[number]

const MORE_ADULT_CENTS = 25_00
const CHILD_CENTS = 10_00
const DAY_MS = 24 * 60 * 60_000

export function nightsOf({ arrival, departure }: Dates): number {
  return Math.round((Date.parse(departure) - Date.parse(arrival)) / DAY_MS)
}

/** What a stay costs. A third adult and each child pay by the night. */
export function priceOf(room: RoomName, dates: Dates, { adults, children }: Guests): number {
  const more = Math.max(0, adults - 2) * MORE_ADULT_CENTS + children * CHILD_CENTS
  return nightsOf(dates) * (ROOMS[room].nightCents + more)
}
