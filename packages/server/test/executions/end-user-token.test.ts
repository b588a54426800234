import { expect, test } from 'vitest'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { dumpTables, executed, saying, setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { capability } from '../support/service.ts'

const TOKEN = 'eyJhbGciOi-session/of a person+1'
const BASE64 = Buffer.from(TOKEN).toString('base64')
const OUTPUT = { link: `https://shop.example/pay?s=${encodeURIComponent(TOKEN)}`, header: BASE64, [TOKEN]: [TOKEN] }
const REDACTED = {
  link: 'https://shop.example/pay?s=[end-user token]',
  header: '[end-user token]',
  [TOKEN]: ['[end-user token]'],
}
const manifest = {
  capabilities: [capability('pay'), capability('fails'), capability('mine', { requiresEndUser: true })],
}
const handle = {
  pay: () => ({ output: OUTPUT }),
  fails: () => ({ error: `Nobody knows ${TOKEN}.` }),
  mine: ({ endUserToken }: { endUserToken?: string | undefined }) => ({ output: { given: endUserToken ?? null } }),
}

describeEngines('an answer that holds the end user’s token', (engine) => {
  const database = useDatabase(engine)

  // holds OUT-17
  test('reaches the callers of capability route and broker unchanged, and its trace without the token', async () => {
    const { call, broker, trace } = await setScene(database(), { manifest, handle })
    for (const answer of [
      await call({ capability: 'pay', endUserToken: TOKEN }),
      await broker('pay', { endUserToken: TOKEN }),
    ]) {
      expect(answer.json().output).toEqual(OUTPUT)
      const [traced] = (await trace(answer.json().executionId)).capabilityCalls
      expect(traced?.output).toEqual(REDACTED)
    }
  })

  // holds OUT-17
  test('is in the caller’s transcript unchanged; the model sees it without the token, and so it does when it comes back', async () => {
    const { execute, service, trace } = await setScene(database(), { manifest, handle })
    service.model.say(calls({ name: 'pay', input: {} }), text('Paid.'))
    const first = executed(await execute({ ...saying('Pay'), endUserToken: TOKEN }))
    expect(first.messages[1]?.parts[0]).toMatchObject({ output: OUTPUT })
    expect((await trace(first.executionId)).capabilityCalls[0]?.output).toEqual(REDACTED)
    const again = [...saying('Pay').messages, ...first.messages, ...saying('And?').messages]
    executed(await execute({ messages: again, endUserToken: TOKEN }))
    const seen = service.model.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === 'tool'))
    expect(seen.map(({ parts }) => parts)).toEqual([
      [expect.objectContaining({ output: REDACTED })],
      [expect.objectContaining({ output: REDACTED })],
    ])
  })

  test('stays as it is where the token is shorter than sixteen characters', async () => {
    const { call, trace } = await setScene(database(), {
      manifest,
      handle: { pay: () => ({ output: 'customer-12345 is customer-12345' }) },
    })
    const answer = await call({ capability: 'pay', endUserToken: 'customer-12345' })
    expect(answer.json().output).toBe('customer-12345 is customer-12345')
    const [traced] = (await trace(answer.json().executionId)).capabilityCalls
    expect(traced?.output).toBe('customer-12345 is customer-12345')
  })

  test('is asked for by a code where the endpoint refused a call without one, in the stream and in the turns', async () => {
    const refusal = { code: 'end_user_required', message: 'Nobody is signed in.' }
    const { service, execute } = await setScene(database(), { manifest, handle: { mine: () => ({ error: refusal }) } })
    service.model.say(calls({ name: 'mine', input: {} }), text('Sign in first.'))
    const { messages } = executed(await execute(saying('Mine')))
    expect(messages[1]?.parts[0]).toMatchObject({ error: refusal })
  })

  test('loses the token in the message of a failure', async () => {
    const { call } = await setScene(database(), { manifest, handle })
    const answer = await call({ capability: 'fails', endUserToken: TOKEN })
    expect(answer.json().error).toEqual({ message: 'Nobody knows [end-user token].' })
  })
})

describeEngines('an end user’s token that its caller or the model writes into input or metadata', (engine) => {
  const database = useDatabase(engine)

  test('reaches the endpoint on every route, and no trace', async () => {
    const scene = await setScene(database(), { manifest, handle: { pay: ({ input }) => ({ output: input }) } })
    const { call, broker, execute, service, trace, endpoint } = scene
    const body = { input: { text: `Pay with ${TOKEN}.` }, metadata: { session: TOKEN }, endUserToken: TOKEN }
    service.model.say(calls({ name: 'pay', input: body.input }), text('Paid.'))
    const { input: _, ...told } = body
    const answers = [
      await call({ capability: 'pay', ...body }),
      await broker('pay', body),
      await execute({ ...saying(), ...told }),
    ]
    const traced: unknown[] = []
    for (const answer of answers) {
      expect(answer.statusCode).toBe(200)
      const { metadata, capabilityCalls } = await trace(answer.json().executionId)
      traced.push(metadata)
      expect(capabilityCalls.map(({ input }) => input)).toEqual([{ text: 'Pay with [end-user token].' }])
    }
    expect(traced).toEqual(answers.map(() => ({ session: '[end-user token]' })))
    expect(endpoint.effects.map(({ input }) => input)).toEqual(answers.map(() => body.input))
    expect(endpoint.effects.map(({ metadata }) => metadata)).toEqual(answers.map(() => body.metadata))
    expect(await dumpTables(database())).not.toContain(TOKEN)
  })
})

describeEngines('a blank end-user token', (engine) => {
  const database = useDatabase(engine)

  // holds MSG-08
  test.each(['', ' ', '\t\n\u00a0'])('%j counts as none on every route', async (endUserToken) => {
    const { call, broker, execute, executeAsOwner, service } = await setScene(database(), { manifest, handle })
    service.model.say(calls({ name: 'mine', input: {} }), text('ok'), calls({ name: 'mine', input: {} }), text('ok'))
    expect((await broker('mine', { endUserToken })).statusCode).toBe(401)
    expect((await broker('pay', { endUserToken })).statusCode).toBe(200)
    expect((await call({ capability: 'mine', endUserToken })).json().output).toEqual({ given: null })
    for (const answer of [await execute({ ...saying(), endUserToken }), await executeAsOwner({ endUserToken })]) {
      expect(executed(answer).messages[1]?.parts[0]).toMatchObject({ output: { given: null } })
    }
  })

  // holds MSG-08
  test('does not affect one that is not blank: the owner’s execute passes it on unchanged', async () => {
    const { executeAsOwner, service } = await setScene(database(), { manifest, handle })
    service.model.say(calls({ name: 'mine', input: {} }), text('ok'))
    const answer = executed(await executeAsOwner({ endUserToken: ' a token ' }))
    expect(answer.messages[1]?.parts[0]).toMatchObject({ output: { given: ' a token ' } })
  })
})
