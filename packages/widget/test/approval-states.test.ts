import type { ApprovalAnswer, Message } from '@svc/contract'
import { ClientError, type ConversationOptions, createConversation } from '@svc/widget'
import { describe, expect, test } from 'vitest'
import { approvalEvents, eventsOf, standsAs } from './support/answers.ts'
import { each, memory } from './support/conversation.ts'
import { createTestClock, createTestVisibility, settled } from './support/test-clock.ts'

const MINUTE_MS = 60_000
const AWAY = new ClientError('unreachable', 'The service cannot be reached.')
const DONE = standsAs('approved', { output: { orderNumber: 'ORD-1' } })

type Reply = ApprovalAnswer | Error

interface Script {
  decisions?: Reply[]
  reads?: Reply[]
  validMs?: number
}

/** A conversation with one pending approval, of 15 minutes unless told, whose service decides and reads as scripted. */
async function start({ decisions = [], reads = [], validMs = 15 * MINUTE_MS }: Script) {
  const clock = createTestClock()
  const visibility = createTestVisibility()
  const expiresAt = new Date(clock.now() + validMs).toISOString()
  const answers = [approvalEvents({ expiresAt }), eventsOf('It is settled.')]
  const asked: string[] = []
  const sent: Message[][] = []
  const next = (replies: Reply[], name: string) => {
    asked.push(name)
    const reply = replies.shift() ?? standsAs('pending')
    if (reply instanceof Error) throw reply
    return reply
  }
  const client: ConversationOptions['client'] = {
    async stream({ messages }) {
      sent.push(structuredClone([...messages]))
      return { requestId: null, events: each(answers.shift() ?? []) }
    },
    callCapability: () => Promise.reject(AWAY),
    decideApproval: async ({ decision }) => next(decisions, decision),
    readApproval: async () => next(reads, 'read'),
  }
  const [storage, approvalStorage] = [memory(), memory()]
  const open = () => {
    const conversation = createConversation({ client, clock, visibility, storage, approvalStorage })
    conversation.resume()
    const approval = () =>
      conversation.getSnapshot().turns.flatMap((turn) => (turn.role === 'assistant' ? turn.approvals : []))[0]
    return { conversation, approval }
  }
  const opened = open()
  opened.conversation.send('Order it')
  await settled()
  return { ...opened, open, clock, visibility, asked, sent, approvalStorage }
}

describe('a pending approval', () => {
  test('turns expired by itself when its time comes, by the service’s word', async () => {
    const expired = standsAs('expired', { error: 'Nobody approved this call in time. It was not run.' })
    const { approval, clock, asked, conversation, sent, approvalStorage } = await start({ reads: [expired] })
    await clock.advance(15 * MINUTE_MS - 1)
    expect([approval()?.state, asked]).toEqual(['pending', []])
    await clock.advance(1)
    expect([approval()?.state, asked]).toEqual(['expired', ['read']])
    conversation.decide('apr_1', 'approve')
    await settled()
    expect(asked).toEqual(['read'])
    expect([clock.pending, approvalStorage.text]).toEqual([0, null])
    // Nobody waits for an answer: the model is told with the next question.
    expect(sent).toHaveLength(1)
    conversation.send('And now?')
    await settled()
    expect(JSON.stringify(sent[1])).toContain('Nobody approved this call in time.')
  })

  test('is asked for once an hour where the device’s clock is months behind: timers of that length end at once', async () => {
    const { clock, asked } = await start({ validMs: 60 * 24 * 60 * MINUTE_MS })
    await clock.advance(60 * MINUTE_MS - 1)
    expect(asked).toEqual([])
    await clock.advance(1)
    expect(asked).toEqual(['read'])
  })

  test('is asked for again a minute later where the device’s clock is ahead of the service’s', async () => {
    const { approval, clock, asked } = await start({ reads: [standsAs('pending'), AWAY, standsAs('expired')] })
    await clock.advance(16 * MINUTE_MS)
    expect([approval()?.state, asked.length]).toEqual(['pending', 2])
    await clock.advance(MINUTE_MS)
    expect([approval()?.state, asked.length]).toEqual(['expired', 3])
  })

  test('which was decided elsewhere turns when the page comes into sight, and nothing goes on here', async () => {
    const { approval, visibility, sent } = await start({ reads: [DONE] })
    visibility.show()
    await settled()
    expect([approval()?.state, sent.length]).toEqual(['approved', 1])
  })
})

describe('a decision', () => {
  test.each([
    ['declined', standsAs('declined', { error: 'A person declined this call. It was not run.' }), null],
    ['failed', standsAs('approved', { error: 'The price has changed.' }), 'The price has changed.'],
    [
      'unknown',
      standsAs('approved', {
        error: 'The connection broke off: whether the call had an effect is unknown.',
        outcome: 'unknown',
      }),
      'The connection broke off: whether the call had an effect is unknown.',
    ],
  ] as const)('that ends as %s is told to the model at once', async (state, answer, detail) => {
    const { approval, conversation, sent } = await start({ decisions: [answer] })
    conversation.decide('apr_1', state === 'declined' ? 'decline' : 'approve')
    await settled()
    expect([approval()?.state, approval()?.problem?.detail ?? null]).toEqual([state, detail])
    expect(sent).toHaveLength(2)
    expect(sent[1]?.at(-1)).toEqual({ role: 'tool', parts: [answer.result] })
  })

  test.each([
    ['unreachable', AWAY],
    ['rate_limited', new ClientError('rate_limited', 'Slow down.', { status: 429, retryAfterMs: 20_000 })],
    ['unreachable', new ClientError('unavailable', 'Trouble.', { status: 500 })],
    ['no_token', new ClientError('no_token', 'The page could not say who is signed in.')],
  ] as const)('that did not arrive (%s) can be made again', async (kind, error) => {
    const { approval, conversation, asked } = await start({ decisions: [error, DONE] })
    conversation.decide('apr_1', 'approve')
    await settled()
    expect(approval()).toMatchObject({ state: 'pending', problem: { kind } })
    conversation.decide('apr_1', 'approve')
    await settled()
    expect([approval()?.state, asked]).toEqual(['approved', ['approve', 'approve']])
  })

  test.each(['unauthorized', 'forbidden', 'not_found', 'invalid'] as const)(
    'that is refused (%s) ends the card, and its key is forgotten',
    async (kind) => {
      const { approval, conversation, approvalStorage, clock } = await start({
        decisions: [new ClientError(kind, 'No.')],
      })
      conversation.decide('apr_1', 'approve')
      await settled()
      expect([approval()?.state, approvalStorage.text, clock.pending]).toEqual(['refused', null, 0])
    },
  )

  test('whose answer was lost is found out five seconds later, and the model goes on here', async () => {
    const { approval, conversation, clock, asked, sent } = await start({ decisions: [AWAY], reads: [AWAY, DONE] })
    conversation.decide('apr_1', 'approve')
    await clock.advance(5_000)
    expect(approval()).toMatchObject({ state: 'pending', problem: { kind: 'unreachable' } })
    await clock.advance(5_000)
    expect([approval()?.state, asked]).toEqual(['approved', ['approve', 'read', 'read']])
    expect(sent).toHaveLength(2)
  })

  test('whose answer was lost is found out after a reload, too', async () => {
    const { conversation, open, sent } = await start({ decisions: [AWAY], reads: [DONE] })
    conversation.decide('apr_1', 'approve')
    await settled()
    conversation.suspend()
    const { approval } = open()
    await settled()
    expect([approval()?.state, sent.length]).toEqual(['approved', 2])
  })

  test('that never arrived leaves the card as it was', async () => {
    const { approval, conversation, clock, asked } = await start({ decisions: [AWAY], reads: [standsAs('pending')] })
    conversation.decide('apr_1', 'approve')
    await clock.advance(60_000)
    expect(approval()).toMatchObject({ state: 'pending', problem: null })
    expect(asked).toEqual(['approve', 'read'])
  })

  test('whose call is still under way is asked for until it has ended', async () => {
    const { approval, conversation, clock, sent } = await start({
      decisions: [standsAs('approved')],
      reads: [standsAs('approved'), DONE],
    })
    conversation.decide('apr_1', 'approve')
    await clock.advance(5_000)
    expect([approval()?.state, sent.length]).toEqual(['deciding', 1])
    await clock.advance(5_000)
    expect([approval()?.state, sent.length]).toEqual(['approved', 2])
  })
})
