import { createDeskRuntime, openStore } from '@svc/example-booking-desk'
import { describeCapabilities } from '@svc/sdk'
import { expect, test } from 'vitest'
import { takeTurn } from '../../../packages/demo-model/src/index.ts'
import { ADA, STAY } from './support/desk.ts'

const tools = describeCapabilities(createDeskRuntime(openStore(':memory:'))).map((capability) => ({
  name: capability.name,
  description: capability.description,
  inputSchema: capability.actions[0]?.inputSchema ?? null,
}))

function turnFor(content: string) {
  return takeTurn({ tools, messages: [{ role: 'user', parts: [{ type: 'text', content }] }] })
}

test('every number that a guest says arrives in the nested input', () => {
  const asked = 'Which rooms are free from 2027-08-03 to 2027-08-05 for two adults and 1 child?'
  expect(turnFor(asked)).toEqual({ type: 'call', name: 'find-rooms', input: STAY })
  const booked =
    'Book the Loft from 2027-08-03 to 2027-08-05 for 2 adults and 1 child, for “Ada Byron”, ada@example.com'
  expect(turnFor(booked)).toEqual({ type: 'call', name: 'book-room', input: ADA })
})

test('what a guest did not say is asked for', () => {
  const turn = turnFor('Book the Loft from 2027-08-03 to 2027-08-05 for two adults and 1 child')
  expect(turn).toMatchObject({ type: 'say', text: expect.stringMatching(/For book room I also need .*name/) })
})
