import { z } from 'zod'
import { ROOM_NAMES } from '../store/rooms.ts'

export const RoomInput = z.enum(ROOM_NAMES).describe('The room, by its name.')

export const DatesInput = z.object({
  arrival: z.iso.date().describe('The first day, such as 2027-08-03.'),
  departure: z.iso.date().describe('The last day, such as 2027-08-05.'),
})

// Both are required: a child that was left out would be a wrong price and a bed too few.
export const GuestsInput = z.object({
  adults: z.int().min(1).max(6).describe('How many adults.'),
  children: z.int().min(0).max(5).describe('How many children, 0 for none.'),
})

export const ContactInput = z.object({
  name: z.string().trim().min(1).max(100).describe('Full name of the guest.'),
  email: z.email().max(200).describe('E-mail address of the guest.'),
  phone: z.string().trim().min(3).max(40).optional().describe('Phone number, if the guest gave one.'),
})

/** What a guest has to know to see or to cancel a booking. */
export const BookingKey = z.object({
  booking: z.string().min(1).max(20).describe('Booking number, such as BD-1001.'),
  email: z.email().max(200).describe('E-mail address that the booking was made with.'),
})
