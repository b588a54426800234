import { expect, test } from 'vitest'
import { placeOf } from '../../src/lib/place-of.ts'

test.each([
  ['postgres://svc:hidden@db.example.com:5432/svc', 'db.example.com:5432/svc'],
  // An unescaped “/” ends what a URL takes for the port.
  ['postgres://svc:12/hidden@db.example.com:5432/svc', 'db.example.com:5432/svc'],
])('the place of %s has no password', (address, place) => {
  expect(placeOf(address)).toBe(place)
})
