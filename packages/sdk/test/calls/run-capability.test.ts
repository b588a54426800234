import { CapabilityError, defineCapability } from '@svc/sdk'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { handMadeSchema } from '../support/hand-made-schema.ts'
import { failure, serve } from '../support/serve.ts'
import { callBody, signedRequest } from '../support/signed-calls.ts'

const version = '1.0.0'
const TOKEN = 'end-user-session-token'
const UNTOLD = 'The capability failed. Its callId is call_1.'
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

describe('input', () => {
  const { call, reported } = serve([
    defineCapability({
      name: 'typed',
      version,
      input: z.object({ at: z.iso.datetime().transform((at) => new Date(at).getTime()), limit: z.number().default(5) }),
      handler: (input) => input,
    }),
    defineCapability({
      name: 'by-hand',
      version,
      input: handMadeSchema(async (value) => {
        if (JSON.stringify(value) === '{}') throw new Error('needs something')
        return 'checked'
      }),
      handler: (input) => input,
    }),
    defineCapability({
      name: 'plain',
      version,
      input: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false },
      handler: (input) => input,
    }),
  ])

  test('reaches the handler as the schema made it', async () => {
    const answered = await call('typed', { input: { at: '2026-01-01T00:00:00Z' } })
    expect(answered.body).toEqual({ output: { at: 1_767_225_600_000, limit: 5 } })
  })

  test('that the schema refuses fails the call with the field named, and is no error of the owner’s', async () => {
    expect(await call('typed', { input: { at: 'now' } })).toEqual(
      failure('input_invalid', expect.stringMatching(/^The input is not valid: at: /)),
    )
    expect(reported).toEqual([])
  })

  test('is validated by any Standard Schema, asynchronous ones too', async () => {
    expect(await call('by-hand', { input: { a: 1 } })).toEqual({ status: 200, body: { output: 'checked' } })
    expect(await call('by-hand')).toEqual(failure('input_invalid', 'The input is not valid: lines.0: needs something'))
  })

  test.each([
    ['valibot', v.object({ id: v.number() }), /^The input is not valid: id: /],
    ['arktype', type({ id: 'number' }), /^The input is not valid: id: /],
    [
      'a JSON Schema of draft-07',
      { $schema: DRAFT_07, properties: { id: { type: 'number' } } },
      /: id must be a number\.$/,
    ],
  ])('is validated by %s', async (_library, input, message) => {
    const some = serve([defineCapability({ name: 'some', version, input, handler: (given) => given })])
    expect((await some.call('some', { input: { id: 1 } })).body).toEqual({ output: { id: 1 } })
    expect(await some.call('some', { input: { id: 'x' } })).toEqual(
      failure('input_invalid', expect.stringMatching(message)),
    )
  })

  test('is validated by a plain JSON Schema on every kind of call', async () => {
    expect(await call('plain', { input: { id: 7 } })).toEqual({ status: 200, body: { output: { id: 7 } } })
    expect(await call('plain', { input: { id: 'x', more: 1 } })).toEqual(
      failure('input_invalid', 'The input is not valid: id must be a whole number. more is not a known field.'),
    )
    expect(reported).toEqual([])
  })
})

describe('the end user', () => {
  const { call } = serve([
    defineCapability({
      name: 'for-users',
      version,
      requiresEndUser: true,
      handler: (_input, { endUserToken, endUser }) => endUser?.subject ?? endUserToken.length,
    }),
    defineCapability({
      name: 'by-token',
      version,
      requiresEndUser: true,
      handler: (_input, { endUserToken }) => endUserToken,
    }),
  ])

  // holds EXE-11
  test.each([[{}], [{ endUserToken: '' }]])('is required before the handler runs: %j', async (fields) => {
    expect(await call('for-users', fields)).toEqual(
      failure('end_user_required', expect.stringMatching(/“for-users”.*signed-in user/)),
    )
  })

  test('is known to the handler by the untouched token', async () => {
    expect((await call('for-users', { endUserToken: TOKEN })).body).toEqual({ output: TOKEN.length })
  })

  test('is known by what the service verified, in place of a token', async () => {
    const endUser = { issuer: 'https://login.example.com', subject: 'alice', scopes: [], claims: {} }
    expect((await call('for-users', { endUser })).body).toEqual({ output: 'alice' })
  })

  test('has a text of its own in place of a token, which no caller may send', async () => {
    const user = (subject: string, issuer = 'https://login.example.com') => ({
      issuer,
      subject,
      scopes: [],
      claims: {},
    })
    const tokenOf = async (endUser: object) =>
      JSON.parse(JSON.stringify((await call('by-token', { endUser })).body)).output
    const users = [user('alice'), user('bob'), user('alice', 'https://other.example.com'), user('alice')]
    const tokens = await Promise.all(users.map(tokenOf))
    for (const token of tokens) expect(token).toMatch(/^svc-end-user:[0-9a-f]{64}$/)
    expect(new Set(tokens).size).toBe(3)
    expect(await call('by-token', { endUserToken: tokens[0] })).toEqual(
      failure('end_user_required', expect.stringContaining('signed-in user')),
    )
  })
})

describe('permissions', () => {
  const ran: string[] = []
  const run = (_input: unknown, { capability }: { capability: string }) => ran.push(capability)
  const open = defineCapability({ name: 'open', version, handler: run })
  const refund = defineCapability({
    name: 'refund',
    version,
    permissions: ['orders:read', 'orders:refund'],
    input: { type: 'object', required: ['id'] },
    handler: run,
  })

  test('are asked for before the handler, and before the input is looked at', async () => {
    const { call, reported } = serve([open, refund], { permissionsOf: () => ['orders:read'] })
    expect(await call('refund')).toEqual(
      failure('permission_denied', 'The user may not use “refund”: it needs the permission “orders:refund”.'),
    )
    expect([ran, reported]).toEqual([[], []])
  })

  test('are looked up by what is known of the call, possibly later, and only where they are needed', async () => {
    const asked: unknown[] = []
    const { call } = serve([open, refund], {
      permissionsOf: async ({ endUserToken, capability, metadata }) => {
        asked.push({ endUserToken, capability, metadata })
        return ['orders:refund', 'orders:read', 'more']
      },
    })
    await call('open')
    expect(asked).toEqual([])
    const fields = { endUserToken: TOKEN, input: { id: 1 }, metadata: { page: '/' } }
    expect((await call('refund', fields)).body).toEqual({ output: expect.any(Number) })
    expect(asked).toEqual([{ endUserToken: TOKEN, capability: 'refund', metadata: { page: '/' } }])
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('db.internal is away')), /db\.internal is away/],
    ['gives a text in which both words are', () => JSON.parse('"orders:read orders:refund"'), /must return a list/],
    ['gives nothing', () => JSON.parse('null'), /must return a list/],
  ])('are not held where the look-up %s, and only the owner reads why', async (_situation, permissionsOf, message) => {
    const before = ran.length
    const { call, reported } = serve([refund], { permissionsOf })
    const words = 'It could not be found out whether the user may use “refund”.'
    expect(await call('refund', { input: { id: 1 } })).toEqual(failure('handler_failed', words))
    expect([ran.length, reported.map(({ error }) => String(error))]).toEqual([before, [expect.stringMatching(message)]])
  })

  test('are not held where the look-up throws a CapabilityError, whose words are for the model', async () => {
    const { call, reported } = serve([refund], {
      permissionsOf: () => {
        throw new CapabilityError('Your session has ended: sign in again.')
      },
    })
    expect(await call('refund')).toEqual(failure('capability_error', 'Your session has ended: sign in again.'))
    expect(reported).toEqual([])
  })

  test('are not looked up for a caller who has left, and the handler does not run for one who leaves meanwhile', async () => {
    const before = ran.length
    const caller = new AbortController()
    const asked: string[] = []
    const { call } = serve([refund], {
      permissionsOf: ({ callId }) => {
        asked.push(callId)
        caller.abort()
        return ['orders:read', 'orders:refund']
      },
    })
    const words = 'The call was given up: its caller left before the answer.'
    expect(await call('refund', { input: { id: 1 } }, caller.signal)).toEqual(failure('aborted', words))
    expect(asked).toHaveLength(1)
    expect(await call('refund', { input: { id: 1 } }, caller.signal)).toEqual(failure('aborted', words))
    expect([asked.length, ran.length]).toEqual([1, before])
  })
})

describe('output', () => {
  const plain = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] } as const
  const { call, reported } = serve([
    defineCapability({ name: 'nothing', version, handler: () => undefined }),
    defineCapability({ name: 'function', version, handler: () => () => 'x' }),
    defineCapability({
      name: 'bare',
      version,
      output: z.object({ id: z.number() }),
      handler: () => ({ id: 1, passwordHash: 'x' }),
    }),
    defineCapability({
      name: 'wrong',
      version,
      output: z.object({ id: z.number().max(3) }),
      handler: () => ({ id: 4 }),
    }),
    defineCapability({ name: 'big', version, handler: () => ({ id: 1n }) }),
    defineCapability({ name: 'plain', version, output: plain, handler: () => ({ at: 'now', left: undefined }) }),
    defineCapability({ name: 'plain-date', version, output: plain, handler: () => JSON.parse('{"at":5}') }),
    defineCapability({ name: 'plain-big', version, output: { type: 'array' }, handler: () => [1n] }),
    defineCapability({ name: 'plain-none', version, output: { type: 'null' }, handler: () => JSON.parse('null') }),
  ])

  test('is null where the handler returned nothing', async () => {
    expect((await call('nothing')).body).toEqual({ output: null })
    expect((await call('function')).body).toEqual({ output: null })
  })

  test('loses the fields that its schema does not name', async () => {
    expect((await call('bare')).body).toEqual({ output: { id: 1 } })
  })

  test('is held against a plain JSON Schema as it is sent', async () => {
    expect((await call('plain')).body).toEqual({ output: { at: 'now' } })
    expect((await call('plain-none')).body).toEqual({ output: null })
  })

  test.each([
    ['wrong', /does not allow\. id: /, 'an output that its Standard Schema refuses'],
    ['plain-date', /does not allow\. at must be a string\./, 'an output that its JSON Schema refuses'],
  ])('%s: what its schema refuses fails the call and is reported with the field', async (name, report) => {
    reported.length = 0
    expect(await call(name)).toEqual(
      failure('output_invalid', `“${name}” returned something that its output schema does not allow.`),
    )
    expect(reported.map(({ error }) => String(error))).toEqual([expect.stringMatching(report)])
  })

  test.each(['big', 'plain-big'])('%s: what is no JSON fails the call and is reported', async (name) => {
    reported.length = 0
    const message = `“${name}” returned something that cannot be written as JSON.`
    expect(await call(name)).toEqual(failure('output_invalid', message))
    expect(reported.map(({ error }) => String(error))).toEqual([expect.stringMatching(/BigInt/)])
  })
})

describe('the reserved key of an output', () => {
  const svc = { actions: [{ type: 'reply' as const, label: 'Yes' }] }
  const strict = {
    type: 'object',
    properties: { id: { type: 'number' } },
    required: ['id'],
    additionalProperties: false,
  }
  const noneOf = (given: unknown) => (JSON.stringify(given) === '{"id":1}' ? { id: 'made' } : Promise.reject(given))
  const { call, reported } = serve([
    defineCapability({ name: 'loose', version, output: z.object({ id: z.number() }), handler: () => ({ id: 1, svc }) }),
    defineCapability({
      name: 'strict',
      version,
      output: z.strictObject({ id: z.number() }),
      handler: () => ({ id: 1, svc }),
    }),
    defineCapability({ name: 'plain', version, output: strict, handler: () => ({ id: 1, svc }) }),
    defineCapability({ name: 'by-hand', version, output: handMadeSchema(noneOf), handler: () => ({ id: 1, svc }) }),
    defineCapability({
      name: 'described',
      version,
      output: z.strictObject({ id: z.number(), svc: z.object({ actions: z.array(z.unknown()) }) }),
      handler: () => ({ id: 1, svc }),
    }),
    defineCapability({
      name: 'to-text',
      version,
      output: z.object({ id: z.number() }).transform(({ id }) => String(id)),
      handler: () => ({ id: 1, svc }),
    }),
  ])

  // holds SIG-17
  test.each([
    ['loose', { id: 1, svc }],
    ['strict', { id: 1, svc }],
    ['plain', { id: 1, svc }],
    ['by-hand', { id: 'made', svc }],
    ['described', { id: 1, svc }],
  ])('is not judged by a schema that does not name it: %s', async (name, output) => {
    expect((await call(name)).body).toEqual({ output })
    expect(reported).toEqual([])
  })

  test('has no place where the schema makes no object', async () => {
    expect(await call('to-text')).toMatchObject(failure('output_invalid', expect.any(String)))
    expect(String(reported[0]?.error)).toMatch(/svc stands beside something that is no object/)
  })

  test('is held against what chats show in development, and the call goes on', async () => {
    const lengthy = { actions: [{ type: 'reply', label: 'Yes', value: 'x'.repeat(1_001) }] }
    const wrong = defineCapability({ name: 'wrong', version, handler: () => ({ id: 1, svc: lengthy }) })
    const development = serve([wrong], { exposeErrors: true })
    expect((await development.call('wrong')).body).toEqual({ output: { id: 1, svc: lengthy } })
    expect(development.reported.map(({ error }) => String(error))).toEqual([
      'TypeError: “wrong”: svc.actions.0.value has more than 1000 characters: it is left out.',
    ])
    const production = serve([wrong])
    await production.call('wrong')
    expect(production.reported).toEqual([])
  })
})

describe('a caller that leaves', () => {
  /** A capability that waits for its caller to leave, then settles as it is told. */
  function waiting(settle: (signal: AbortSignal) => unknown) {
    let enter = (_signal: AbortSignal) => {}
    const entered = new Promise<AbortSignal>((resolve) => {
      enter = resolve
    })
    const capability = defineCapability({
      name: 'wait',
      version,
      handler: async (_input, { signal }) => {
        const left = new Promise((resolve) => signal.addEventListener('abort', resolve))
        enter(signal)
        await left
        return settle(signal)
      },
    })
    return { capability, entered }
  }

  async function answerAfterDeparture(settle: (signal: AbortSignal) => unknown) {
    const departure = new AbortController()
    const { capability, entered } = waiting(settle)
    const { call, reported } = serve([capability])
    const answered = call('wait', {}, departure.signal)
    expect((await entered).aborted).toBe(false)
    departure.abort(new Error('The tab was closed.'))
    return { ...(await answered), reported }
  }

  const aborted = failure('aborted', 'The call was given up: its caller left before the answer.')
  const abortError = () => Object.assign(new Error('stopped'), { name: 'AbortError' })

  test.each<[string, (signal: AbortSignal) => unknown]>([
    ['the signal’s reason', (signal) => Promise.reject(signal.reason)],
    ['what throwIfAborted throws', (signal) => signal.throwIfAborted()],
    ['an AbortError of a library’s own', () => Promise.reject(abortError())],
    ['an error that was caused by one', () => Promise.reject(new Error('query', { cause: abortError() }))],
  ])('ends the handler: %s is “aborted” and no fault of the owner’s', async (_situation, settle) => {
    expect(await answerAfterDeparture(settle)).toEqual({ ...aborted, reported: [] })
  })

  test('does not hide another fault, nor the handler’s own words', async () => {
    const fault = new Error('The database is away.')
    const failed = await answerAfterDeparture(() => Promise.reject(fault))
    expect(failed).toMatchObject(failure('handler_failed', UNTOLD))
    expect(failed.reported.map(({ error }) => error)).toEqual([fault])
    const expected = await answerAfterDeparture(() => Promise.reject(new CapabilityError('stopped')))
    expect(expected).toEqual({ ...failure('capability_error', 'stopped'), reported: [] })
  })

  test('is not presumed: an AbortError of a caller who is still there is a fault', async () => {
    const away = defineCapability({ name: 'away', version, handler: () => Promise.reject(abortError()) })
    const { call, reported } = serve([away])
    expect(await call('away')).toEqual(failure('handler_failed', UNTOLD))
    expect(reported).toHaveLength(1)
  })
})

describe('a handler that throws', () => {
  const breaks = defineCapability({
    name: 'breaks',
    version,
    handler: () => {
      throw new Error(`The database is away.\n    at query (/srv/shop/store.ts:14:9)\nTried as ${TOKEN}.`)
    },
  })
  const soldOut = defineCapability({
    name: 'sold-out',
    version,
    handler: () => Promise.reject(new CapabilityError('There are only 3 left.')),
  })

  test('tells the model its message in development, and nobody its stack or the end user’s token', async () => {
    const response = await serve([breaks], { exposeErrors: true }).handler(
      await signedRequest({ body: callBody('breaks', { endUserToken: TOKEN }) }),
    )
    const text = await response.text()
    expect(JSON.parse(text)).toEqual(
      failure('handler_failed', 'The database is away.\nTried as [end-user token].').body,
    )
    expect(text + JSON.stringify([...response.headers])).not.toMatch(/store\.ts|run-capability|session-token/)
  })

  test('is reported to the owner with the call, stack and all', async () => {
    const { call, reported } = serve([breaks])
    await call('breaks')
    expect(reported).toEqual([
      { error: expect.any(Error), call: { executionId: 'exec_1', callId: 'call_1', capability: 'breaks' } },
    ])
  })

  test('with a CapabilityError gives an ordinary outcome, which is not reported', async () => {
    const { call, reported } = serve([soldOut])
    expect(await call('sold-out')).toEqual(failure('capability_error', 'There are only 3 left.'))
    expect(reported).toEqual([])
  })

  test('is answered even when the owner’s logger throws or rejects', async () => {
    const throwing = serve([breaks], {
      onError: () => {
        throw new Error('no disk')
      },
    })
    const rejecting = serve([breaks], { onError: () => Promise.reject(new Error('no disk')) })
    expect((await throwing.call('breaks')).status).toBe(200)
    expect((await rejecting.call('breaks')).status).toBe(200)
  })
})
