import { defineCapability } from '@svc/sdk'
import { z } from 'zod'

const INFO = {
  name: 'Hollow Pine',
  about: 'Outdoor and home goods that last, from a small shop in Freiburg.',
  address: 'Gerberau 12, 79098 Freiburg, Germany',
  openingHours: 'Monday to Friday 10:00–18:30, Saturday 10:00–16:00, closed on Sunday',
  contact: 'hello@shop.example.com, +49 761 555 0142',
  returns: 'Unused goods within 30 days, free of charge in Germany. The money is back within five working days.',
  repairs: 'We repair tents, bags and knives that we sold, at cost, as long as we have the parts.',
  payment: 'Card, bank transfer, or invoice',
}

export const storeInfoCapability = defineCapability({
  name: 'store-info',
  version: '1.0.0',
  effect: 'read',
  description:
    'Facts about the store itself: opening hours (when it is open or closed), address and location, contact by phone ' +
    'or email, return and refund policy, repairs and warranty, payment methods.',
  input: z.object({}),
  handler: () => INFO,
})
