import { previewHash } from '@svc/contract'
import { CapabilityError, createMemoryEffectStore, defineCapability, type Preview } from '@svc/sdk'
import { callCapability } from '@svc/sdk/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { process, send } from '../support/effect-races.ts'
import { failure, serve } from '../support/serve.ts'

const version = '1.0.0'
const TOKEN = 'session-of-ada'
const approval = { approvalId: 'apr_01' }

let price = 25
const ran: string[] = []

beforeEach(() => {
  price = 25
  ran.length = 0
})

function previewOf(order: string): Preview {
  return { title: `Refund ${order}`, amount: { value: price, currency: 'EUR' }, ...(price < 5 && { confirm: false }) }
}

const refund = defineCapability({
  ...{ name: 'refund', version, effect: 'destructive', confirm: true },
  input: z.object({ order: z.string().default('A-17') }),
  handler: ({ order }) => {
    ran.push(order)
    return { refunded: order }
  },
  preview: ({ order }) => previewOf(order),
})
const close = defineCapability({
  ...{ name: 'close', version, confirm: true },
  handler: () => {
    ran.push('close')
    return 'closed'
  },
})
const plain = defineCapability({
  ...{ name: 'plain', version },
  handler: () => {
    ran.push('plain')
    return 'done'
  },
  preview: () => ({ title: 'Plain' }),
})

const setUp = () => serve([refund, close, plain])
const refunded = { status: 200, body: { output: { refunded: 'A-17' } } }

describe('a preview', () => {
  test('is answered from `preview` alone, after input and defaults', async () => {
    expect(await setUp().call('refund', { mode: 'preview' })).toEqual({
      status: 200,
      body: { output: previewOf('A-17') },
    })
    expect(await setUp().call('plain', { mode: 'preview' })).toEqual({
      status: 200,
      body: { output: { title: 'Plain' } },
    })
    expect(ran).toEqual([])
  })

  test('of a capability without one is refused, and nothing runs', async () => {
    expect(await setUp().call('close', { mode: 'preview', ...approval })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_mode', message: expect.stringContaining('has no preview') },
    })
    expect(ran).toEqual([])
  })

  test('is refused where the call would be: input, end user, permissions', async () => {
    const guarded = defineCapability({
      ...{ name: 'guarded', version, requiresEndUser: true, permissions: ['orders:refund'] },
      input: z.object({ order: z.string() }),
      handler: () => ran.push('guarded'),
      preview: (_input, { endUserToken, callId }) => ({ title: `${endUserToken} ${callId}` }),
    })
    const { call } = serve([guarded], {
      permissionsOf: ({ endUserToken }) => (endUserToken === TOKEN ? ['orders:refund'] : []),
    })
    const preview = (fields: object) => call('guarded', { mode: 'preview', ...fields })
    expect(await preview({ input: { order: 'A' } })).toEqual(failure('end_user_required', expect.any(String)))
    expect(await preview({ endUserToken: 'other', input: { order: 'A' } })).toEqual(
      failure('permission_denied', expect.any(String)),
    )
    expect(await preview({ endUserToken: TOKEN })).toEqual(failure('input_invalid', expect.any(String)))
    expect(await preview({ endUserToken: TOKEN, input: { order: 'A' } })).toMatchObject({
      body: { output: { title: `${TOKEN} call_1` } },
    })
    expect(ran).toEqual([])
  })

  test('that throws fails the call, in the words of a CapabilityError alone', async () => {
    const failing = (error: Error) =>
      serve([
        defineCapability({
          name: 'fails',
          version,
          handler: () => ran.push('fails'),
          preview: () => Promise.reject(error),
        }),
      ])
    const expected = failing(new CapabilityError('There is no such order.'))
    expect(await expected.call('fails', { mode: 'preview' })).toEqual(
      failure('capability_error', 'There is no such order.'),
    )
    const other = failing(new Error('secret words of a database'))
    expect(JSON.stringify(await other.call('fails', { mode: 'preview' }))).not.toContain('secret words')
    expect(other.reported).toHaveLength(1)
    expect(ran).toEqual([])
  })

  test.each([
    [{}],
    [null],
    [{ title: '' }],
    [{ title: 'a', more: 1 }],
    [{ title: 'a', amount: { value: 1n } }],
    ['Refund'],
  ])('that cannot be shown fails the call: %#', async (made) => {
    const bad = defineCapability({
      ...{ name: 'bad', version, confirm: true },
      handler: () => ran.push('bad'),
      preview: () => Object(made) as Preview,
    })
    const { call, reported } = serve([bad])
    const answer = failure('output_invalid', '“bad” made a preview that cannot be shown.')
    expect(await call('bad', { mode: 'preview' })).toEqual(answer)
    expect(await call('bad', { ...approval, previewHash: 'a'.repeat(64) })).toEqual(answer)
    expect(reported[0]?.error).toBeInstanceOf(TypeError)
    expect(ran).toEqual([])
  })
})

describe('a call of a capability with confirm', () => {
  test('runs where the preview is the one that was approved', async () => {
    const hash = await previewHash(previewOf('A-17'))
    expect(await setUp().call('refund', { ...approval, previewHash: hash })).toEqual(refunded)
  })

  test('is refused where the preview is another one by now', async () => {
    const hash = await previewHash(previewOf('A-17'))
    price = 26
    expect(await setUp().call('refund', { ...approval, previewHash: hash })).toEqual(
      failure('preview_changed', expect.stringContaining('Ask again')),
    )
    expect(ran).toEqual([])
  })

  test.each([
    ['without a hash', {}],
    ['with the hash of something else', { previewHash: 'a'.repeat(64) }],
  ])('is refused %s', async (_what, fields) => {
    expect(await setUp().call('refund', { ...approval, ...fields })).toEqual(
      failure('preview_changed', expect.any(String)),
    )
    expect(ran).toEqual([])
  })

  test('is refused where nobody approved it, also with the right hash', async () => {
    const hash = await previewHash(previewOf('A-17'))
    for (const fields of [{}, { previewHash: hash }]) {
      expect(await setUp().call('refund', fields)).toEqual(
        failure('approval_required', expect.stringContaining('a person')),
      )
    }
    expect(await setUp().call('close')).toEqual(failure('approval_required', expect.any(String)))
    expect(ran).toEqual([])
  })

  test('needs nobody where its preview says so now', async () => {
    price = 4
    expect(await setUp().call('refund')).toEqual(refunded)
  })

  test('without a preview of its own runs once it is approved: the service made the preview', async () => {
    expect(await setUp().call('close', { ...approval, previewHash: 'a'.repeat(64) })).toMatchObject({
      body: { output: 'closed' },
    })
  })

  test.each([{ approvalId: '' }, { approvalId: 7 }, { ...approval, previewHash: 'no hash' }])(
    'is no call with %j',
    async (fields) => {
      expect(await setUp().call('close', fields)).toEqual({ status: 400, body: { error: 'invalid_json' } })
      expect(ran).toEqual([])
    },
  )
})

describe('a call of a capability without confirm', () => {
  test('makes no preview', async () => {
    expect(await setUp().call('plain')).toEqual({ status: 200, body: { output: 'done' } })
  })

  test('that was approved still has to be what was approved', async () => {
    const { call } = setUp()
    expect(await call('plain', { ...approval, previewHash: 'a'.repeat(64) })).toEqual(
      failure('preview_changed', expect.any(String)),
    )
    const hash = await previewHash({ title: 'Plain' })
    expect(await call('plain', { ...approval, previewHash: hash })).toEqual({ status: 200, body: { output: 'done' } })
  })
})

test('with an effect store an approved call runs once, and its preview is no effect', async () => {
  const handler = process([refund], createMemoryEffectStore())
  const { body } = await send(handler, 'refund', { mode: 'preview' })
  const hash = await previewHash(Object(body).output)
  const commit = { ...approval, previewHash: hash }
  expect([await send(handler, 'refund', commit), await send(handler, 'refund', commit)]).toEqual([refunded, refunded])
  price = 26
  expect(await send(handler, 'refund', commit)).toEqual(refunded)
  expect(ran).toEqual(['A-17'])
})

test('a test calls a capability with confirm as if a person had approved it', async () => {
  expect(await callCapability(refund, {})).toEqual({ ok: true, output: { refunded: 'A-17' } })
  expect(await callCapability(close, {})).toEqual({ ok: true, output: 'closed' })
  expect(await callCapability(refund, {}, { mode: 'preview' })).toEqual({ ok: true, output: previewOf('A-17') })
})
