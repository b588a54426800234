import { ExecuteResponse } from '@svc/contract'
import { expect, onTestFinished, test } from 'vitest'
import { limited } from '../../src/errors.ts'
import { createSchemas, type SchemaThread } from '../../src/schemas/schemas.ts'
import { describeEngine, describeEngines, useDatabase } from '../support/engines.ts'
import { setScene } from '../support/scene.ts'
import { calls, text } from '../support/scripted-model.ts'
import { builtSchemaThread, capability, deployBody, schemaThreadHere } from '../support/service.ts'

/** A schema of a few lines whose check doubles with each of them. */
function doubling(levels: number) {
  const $defs: Record<string, unknown> = { [`a${levels}`]: { type: 'object' } }
  for (let level = 0; level < levels; level += 1) {
    const next = { $ref: `#/$defs/a${level + 1}` }
    $defs[`a${level}`] = { allOf: [next, next] }
  }
  return { $ref: '#/$defs/a0', $defs }
}

// Judged before or after the store is asked; execute.test.ts holds what is stored on both engines.
describeEngine('sqlite', 'the limits of one caller', (engine) => {
  const database = useDatabase(engine)

  // holds CAP-14
  test('a schema whose check would never end is refused at deploy, by name and in time', async () => {
    const { service, runtime } = await setScene(database())
    const hostile = capability('hostile', { actions: [{ name: 'hostile', inputSchema: doubling(60) }] })
    const answer = await service.send('POST', '/v1/deployments', {
      key: runtime.deployKey,
      body: deployBody({ capabilities: [hostile] }),
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error.message).toContain('“hostile” takes too long to check')
  })

  test('a schema whose check is endless for some inputs refuses those every time, and accepts the others', async () => {
    const node = { $ref: '#/$defs/node' }
    const $defs = { node: { type: 'object', properties: { next: { allOf: [node, node, node] } } } }
    const tree = capability('tree', { actions: [{ name: 'tree', inputSchema: { $ref: '#/$defs/node', $defs } }] })
    const schemas = createSchemas(builtSchemaThread)
    onTestFinished(() => schemas.close())
    const { service, runtime, endpoint } = await setScene(database(), { manifest: { capabilities: [tree] }, schemas })
    endpoint.script('tree', () => ({ output: 'grown' }))
    let deep: object = {}
    for (let level = 0; level < 28; level += 1) deep = { next: deep }
    const url = `/v1/capabilities/${runtime.runtimeId}/tree`

    for (let times = 0; times < 3; times += 1) {
      const refused = await service.send('POST', url, { body: { input: deep } })
      expect(refused.statusCode).toBe(400)
      expect(JSON.stringify(refused.json())).toContain('takes too long')
    }
    const answered = await service.send('POST', url, { body: { input: { next: {} } } })
    expect(answered.json()).toMatchObject({ output: 'grown' })
  })

  test('an input whose check may take long is checked in the thread once, and not at all if too many wait', async () => {
    const fields = Array.from({ length: 100 }, (_, at) => [`f${at}`, { type: 'string' }])
    const inputSchema = { type: 'object', properties: { size: { type: 'number' }, ...Object.fromEntries(fields) } }
    const large = capability('large', { actions: [{ name: 'large', inputSchema }] })
    const asked: string[] = []
    let isBusy = false
    const startThread = (): SchemaThread => {
      const thread = schemaThreadHere()
      return {
        ...thread,
        async run(job, limitsMs) {
          if (job.input !== undefined) asked.push(job.input)
          if (isBusy) throw limited('Too many schemas and inputs are being checked.', 1_000)
          return thread.run(job, limitsMs)
        },
      }
    }
    const { execute, service, broker } = await setScene(database(), {
      manifest: { capabilities: [large] },
      handle: { large: () => ({ output: 'done' }) },
      schemas: createSchemas(startThread),
    })
    const [good, bad] = [{ size: 1 }, { size: 'one' }]
    expect((await broker('large', { input: good })).json()).toMatchObject({ output: 'done' })
    const refused = await broker('large', { input: bad })
    expect(refused.json().error).toMatchObject({ details: { fieldErrors: { 'input.size': ['must be number.'] } } })
    expect(asked).toEqual([good, bad].map((input) => JSON.stringify(input)))

    isBusy = true
    const answer = await broker('large', { input: good })
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '1'])
    service.model.say(calls({ name: 'large', input: good }), text('sorry'))
    const executed = ExecuteResponse.parse((await execute()).json())
    expect(executed.status).toBe('completed')
    expect(JSON.stringify(executed.messages)).toContain('input could not be checked, because too many inputs are.')
  })

  // holds LOOP-10
  test('an execution makes as many calls as its limit allows, and the model is told that the others were not made', async () => {
    const { service, endpoint, execute } = await setScene(database(), { limits: { calls: 3 } })
    const call = { name: 'echo', input: {} }
    service.model.say(calls(call, call), calls(call, call), text('done'))
    const answer = ExecuteResponse.parse((await execute()).json())
    expect(endpoint.effects).toHaveLength(3)
    const results = answer.messages.flatMap((message) => (message.role === 'tool' ? message.parts : []))
    expect(results.map(({ error }) => error?.message.slice(0, 21))).toEqual([
      undefined,
      undefined,
      undefined,
      'The call was not made',
    ])
  })

  // holds LOOP-10
  test('an execution whose outputs have grown too large makes no further call', async () => {
    const { service, endpoint, execute } = await setScene(database(), {
      limits: { outputBytes: 1_000 },
      handle: { echo: () => ({ output: 'x'.repeat(600) }) },
    })
    const call = { name: 'echo', input: {} }
    service.model.say(calls(call), calls(call), calls(call), text('done'))
    const answer = ExecuteResponse.parse((await execute()).json())
    expect(answer.status).toBe('completed')
    expect(endpoint.effects).toHaveLength(2)
  })

  test('the text limit of the model decreases with each step by its text and arguments', async () => {
    const { service, execute } = await setScene(database(), { limits: { textBytes: 10 } })
    const [call] = calls({ name: 'echo', input: {} })
    const [, end] = calls({ name: 'echo', input: {} })
    if (!call || !end) throw new Error('a turn has a call and an end')
    service.model.say([{ type: 'text', content: 'Hällo' }, call, end], text('done'))
    expect(ExecuteResponse.parse((await execute()).json()).status).toBe('completed')
    expect(service.model.requests.map(({ maxTextBytes }) => maxTextBytes)).toEqual([10, 2])
  })

  test('a body with more values than the limit is refused before it is walked', async () => {
    const { service, runtime } = await setScene(database(), { limits: { jsonValues: 100 } })
    const answer = await service.send('POST', '/v1/runtime/execute', {
      key: runtime.publicKey,
      body: { messages: Array.from({ length: 200 }, () => ({})) },
    })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error.details.fieldErrors).toEqual({ body: ['holds more than 100 values.'] })
  })

  test('token counts are rounded to whole numbers before they are stored and answered', async () => {
    const { service, execute, trace } = await setScene(database())
    service.model.say([
      { type: 'text', content: 'ok' },
      { type: 'end', reason: 'stop', usage: { inputTokens: 12.5, outputTokens: Number.NaN } },
    ])
    const answer = ExecuteResponse.parse((await execute()).json())
    expect(answer).toMatchObject({ status: 'completed', inputTokens: 13, outputTokens: 0, totalTokens: 13 })
    expect(await trace(answer.executionId)).toMatchObject({ status: 'completed', inputTokens: 13 })
  })
})

describeEngines('the last contact of a busy runtime', (engine) => {
  const database = useDatabase(engine)

  test('is stored every ten seconds, not with every call', async () => {
    const { service, broker, owner, runtime } = await setScene(database())
    const lastSeen = async () => {
      const detail = await service.send('GET', `/v1/runtimes/${runtime.runtimeId}`, { key: owner.apiKey })
      return Date.parse(detail.json().lastSeenAt)
    }
    await broker('echo')
    const first = await lastSeen()
    service.clock.advance(9_999)
    await broker('echo')
    expect(await lastSeen()).toBe(first)
    service.clock.advance(1)
    await broker('echo')
    expect(await lastSeen()).toBe(first + 10_000)
  })
})
