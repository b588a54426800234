import { type DoubleScript, type OpenAiDouble, startOpenAiDouble } from '@svc/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { DEFAULT_LIMITS } from '../../src/limits.ts'
import { openModel } from '../../src/model/open-model.ts'
import type { Database } from '../../src/store/database.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { executed, type Scene, saying, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const MODEL_KEY = 'sk-canary-of-the-model-provider'

const SecondRequest = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.unknown(),
      tool_calls: z.array(z.object({ id: z.string() })).optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })),
})

/** A scene whose model is the real provider adapter, speaking to a double of its service. */
async function setProviderScene(database: Database, script: DoubleScript): Promise<Scene & { double: OpenAiDouble }> {
  const double = await startOpenAiDouble({ script })
  onTestFinished(() => double.close())
  const model = await openModel({
    spec: 'openai-compatible:test-model',
    env: { SVC_MODEL_BASE_URL: double.baseUrl, SVC_MODEL_API_KEY: MODEL_KEY },
    limits: DEFAULT_LIMITS,
  })
  const manifest = { capabilities: [capability('echo'), capability('shout')] }
  const handle = { shout: () => ({ output: { loud: true } }) }
  return { ...(await setScene(database, { model, manifest, handle })), double }
}

// The loop is the same over any store; execute.test.ts holds what it stores on both engines.
describeEngine('sqlite', 'execute through a provider', (engine) => {
  const database = useDatabase(engine)

  test('parallel streamed tool calls are assembled, run once each, and answered by id', async () => {
    const { double, endpoint, execute, trace } = await setProviderScene(database(), [
      {
        text: 'Let me look.',
        toolCalls: [
          { name: 'echo', input: { text: 'a longer text, which comes in pieces' } },
          { name: 'shout', input: {} },
        ],
        pieceLength: 3,
        usage: { inputTokens: 100, outputTokens: 20 },
      },
      { text: ['All ', 'done.'], usage: { inputTokens: 150, outputTokens: 30 } },
    ])
    const body = executed(await execute(saying('Look it up')))
    expect(body).toMatchObject({
      status: 'completed',
      finishReason: 'stop',
      inputTokens: 250,
      outputTokens: 50,
      totalTokens: 300,
    })
    expect(body.messages).toMatchObject([
      { role: 'assistant', parts: [{ type: 'text', content: 'Let me look.' }, { name: 'echo' }, { name: 'shout' }] },
      {
        role: 'tool',
        parts: [{ output: { text: 'a longer text, which comes in pieces' } }, { output: { loud: true } }],
      },
      { role: 'assistant', parts: [{ type: 'text', content: 'All done.' }] },
    ])
    expect(endpoint.effects.map((call) => call.capability).sort()).toEqual(['echo', 'shout'])
    expect(await trace(body.executionId)).toMatchObject({ steps: 2, totalTokens: 300, capabilityCalls: [{}, {}] })
    const asked = SecondRequest.parse(double.requests[1]?.body)
    expect(asked.tools.map((tool) => tool.function.name)).toEqual(['echo', 'shout'])
    const [, called, ...results] = asked.messages
    expect(results.map((result) => result.tool_call_id)).toEqual(called?.tool_calls?.map(({ id }) => id))
    expect(results.map(({ content }) => content)).toEqual([expect.stringContaining('in pieces'), '{"loud":true}'])
  })

  test('arguments that are no JSON are answered to the model, without a dispatch', async () => {
    const { endpoint, execute } = await setProviderScene(database(), [
      { toolCalls: [{ name: 'echo', rawArguments: '{"text": ' }] },
      { text: 'Sorry.' },
    ])
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'completed', messages: [{}, { parts: [{ error: {} }] }, {}] })
    expect(endpoint.effects).toHaveLength(0)
  })

  test('a provider that refuses fails the execution, and neither its message nor the key is shown', async () => {
    const message = `bad key ${MODEL_KEY} at internal-host`
    const { execute, trace } = await setProviderScene(database(), () => ({
      fault: { type: 'status', status: 401, message },
    }))
    const body = executed(await execute())
    expect(body).toMatchObject({ status: 'failed', finishReason: 'error', totalTokens: 0 })
    const told = JSON.stringify([body, await trace(body.executionId)])
    expect(told).not.toMatch(/internal-host|sk-canary/)
  })

  test('an answer that ends inside a tool call runs none of its calls', async () => {
    const toolCalls = [
      { name: 'echo', input: { text: 'whole' } },
      { name: 'shout', input: {} },
    ]
    const { endpoint, execute } = await setProviderScene(database(), () => ({
      toolCalls,
      fault: { type: 'cut', afterBytes: 900, by: 'end' },
    }))
    expect(executed(await execute())).toMatchObject({ status: 'failed', finishReason: 'error' })
    expect(endpoint.effects).toHaveLength(0)
  })
})
