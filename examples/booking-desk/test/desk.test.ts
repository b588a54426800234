import { Preview, previewHash } from '@svc/contract'
import type { FakeControlPlane } from '@svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { ADA, openDesk, STAY } from './support/desk.ts'

/** Calls as the control plane does once a person has approved: with the hash of what was shown. */
async function approved(controlPlane: FakeControlPlane, name: string, input: object, callId: string) {
  const shown = await controlPlane.callByName(name, input, { callId, mode: 'preview' })
  if (!shown.ok) return shown
  const terms = { callId, approvalId: 'apr_1', previewHash: await previewHash(Preview.parse(shown.output)) }
  return controlPlane.callByName(name, input, terms)
}

describe('finding a room', () => {
  test('takes adults and children into account, in beds and in price', async () => {
    const { controlPlane } = openDesk()
    const found = await controlPlane.callByName('find-rooms', STAY)
    expect(found).toMatchObject({
      ok: true,
      output: {
        stay: '2027-08-03 to 2027-08-05, 2 nights',
        rooms: [
          { name: 'Garden Room', total: '€240.00' },
          { name: 'Loft', total: '€268.00' },
          { name: 'Family Room', total: '€356.00' },
        ],
      },
    })
    const three = { ...STAY, guests: { adults: 3, children: 3 } }
    expect(await controlPlane.callByName('find-rooms', three)).toMatchObject({
      output: { rooms: [{ name: 'Family Room', total: '€446.00' }] },
    })
  })

  test.each([
    ['in the past', { arrival: '2027-05-30', departure: '2027-06-02' }, 'today is 2027-06-01'],
    ['that end before they begin', { arrival: '2027-08-05', departure: '2027-08-03' }, 'after the arrival'],
    ['of two months', { arrival: '2027-08-01', departure: '2027-10-01' }, '30 nights at most'],
  ])('refuses dates %s, in words for the guest', async (_, dates, reason) => {
    const refused = await openDesk().controlPlane.callByName('find-rooms', { ...STAY, dates })
    expect(refused).toMatchObject({ ok: false, code: 'capability_error', message: expect.stringContaining(reason) })
  })

  test('is not tried without a number of children', async () => {
    const refused = await openDesk().controlPlane.callByName('find-rooms', { ...STAY, guests: { adults: 2 } })
    expect(refused).toMatchObject({ code: 'input_invalid', message: expect.stringContaining('guests.children') })
  })
})

describe('booking a room', () => {
  test('shows what a person approves, and books nothing by that', async () => {
    const { controlPlane } = openDesk()
    const shown = await controlPlane.callByName('book-room', ADA, { mode: 'preview' })
    expect(shown).toMatchObject({
      output: {
        title: 'Book the Loft',
        lines: ['2027-08-03 to 2027-08-05, 2 nights', '2 adults and 1 child', 'For Ada Byron, ada@example.com'],
        amount: { value: 268, currency: 'EUR' },
      },
    })
    expect(await controlPlane.callByName('book-room', ADA)).toMatchObject({ code: 'approval_required' })
    expect(await approved(controlPlane, 'book-room', ADA, 'call_1')).toMatchObject({ ok: true })
  })

  test('acts once for a call that comes twice, and the room is taken for others', async () => {
    const { controlPlane, store } = openDesk()
    const first = await approved(controlPlane, 'book-room', ADA, 'call_1')
    expect(first).toMatchObject({ output: { booking: 'BD-1001', status: 'booked' } })
    expect(await controlPlane.repeat()).toEqual(first)
    const other = await approved(controlPlane, 'book-room', ADA, 'call_2')
    expect(other).toMatchObject({ ok: false, message: 'The Loft is taken on these dates.' })
    expect(store.database.prepare('SELECT count(*) FROM bookings').pluck().get()).toBe(1)
  })

  test('tells afterwards what became of a call', async () => {
    const { controlPlane } = openDesk()
    await approved(controlPlane, 'book-room', ADA, 'call_1')
    const ask = (callId: string) => controlPlane.callByName('book-room', ADA, { callId, mode: 'reconcile' })
    expect(await ask('call_1')).toMatchObject({ output: { status: 'completed' } })
    expect(await ask('call_9')).toMatchObject({ output: { status: 'never' } })
  })
})

test('a booking is shown to whoever knows its number and address, and its room is free once it is cancelled', async () => {
  const { controlPlane } = openDesk()
  await approved(controlPlane, 'book-room', ADA, 'call_1')
  const wrong = { booking: 'BD-1001', email: 'eve@example.com' }
  for (const refused of [
    await controlPlane.callByName('booking-details', wrong),
    await approved(controlPlane, 'cancel-booking', wrong, 'call_9'),
  ]) {
    expect(refused).toMatchObject({ ok: false, message: 'There is no booking BD-1001 under eve@example.com.' })
  }
  const key = { booking: 'bd-1001', email: 'Ada@example.com' }
  expect(await approved(controlPlane, 'cancel-booking', key, 'call_2')).toMatchObject({
    output: { status: 'cancelled' },
  })
  expect(await controlPlane.callByName('booking-details', key)).toMatchObject({ output: { status: 'cancelled' } })
  expect(await approved(controlPlane, 'book-room', ADA, 'call_3')).toMatchObject({ output: { booking: 'BD-1002' } })
})
