import { Capability, type Message } from '@svc/contract'
import { defineRuntime } from '@svc/sdk'
import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { executed, saying, setScene } from '../../server/test/support/scene.ts'
import { calls, text } from '../../server/test/support/scripted-model.ts'
import { capability } from '../../server/test/support/service.ts'
import { compileManifest } from '../src/project/compile-manifest.ts'
import { deploymentLimits } from '../src/project/deployment-limits.ts'
import { playHere } from '../src/test/play/play-here.ts'
import { TestSchema } from '../src/test/test-schema.ts'

const CAPABILITIES = [
  capability('echo'),
  capability('fails'),
  capability('order', { confirm: true }),
  { ...capability('bare'), actions: [{ name: 'bare' }] },
]
const ECHOED = [1, 2, 3, 4, 5, 6, 7].map((number) => ({ name: 'echo', input: { text: `${number}` } }))
type Asked = { name: string; input: unknown }

/** What the model asks for in one turn, and what it says at the end. */
const CONVERSATIONS: Record<string, { turns: Asked[][]; agent?: { limits: { steps: number } } }> = {
  'seven calls at once, and a failure': {
    turns: [[...ECHOED, { name: 'fails', input: {} }], [{ name: 'bare', input: { any: [1] } }]],
  },
  'inputs that do not fit, and an unknown capability': {
    turns: [
      [
        { name: 'echo', input: { text: 'x', more: true } },
        { name: 'echo', input: { text: 7 } },
        { name: 'echo', input: [1] },
        { name: 'nothing-like-it', input: {} },
        { name: 'echo', input: { text: 'fits' } },
      ],
    ],
  },
  'a call that a person approves': { turns: [[{ name: 'order', input: {} }, ...ECHOED.slice(0, 1)]] },
  'steps that are used up': { turns: [ECHOED.slice(0, 1), ECHOED.slice(1, 2)], agent: { limits: { steps: 2 } } },
  'more calls than an execution may make': {
    turns: [Array.from({ length: 103 }, () => ECHOED[0] ?? { name: '', input: {} })],
  },
}

// The service tells the first fault of an input in another library’s words.
const FAULT = /(The input does not fit the schema\. input\.\S+)[^"]*/g

/** The turns with call ids by their order. */
function comparable(messages: readonly Message[]): unknown {
  const text = JSON.stringify(messages).replace(FAULT, '$1')
  const ids = [...new Set(Array.from(text.matchAll(/"(?:id|toolCallId)":"([^"]+)"/g), ([, id = '']) => id))]
  return JSON.parse(ids.reduce((left, id, at) => left.replaceAll(`"${id}"`, `"#${at}"`), text))
}

describeEngine('sqlite', 'svc test beside the service', (engine) => {
  const database = useDatabase(engine)

  test.each(Object.entries(CONVERSATIONS))('has the same transcript: %s', async (_, { turns, agent }) => {
    const handle = {
      fails: () => ({ output: null, error: { message: 'There are only 3 left.' } }),
      bare: () => ({ output: [null, { deep: 'ä' }] }),
    }
    const scene = await setScene(database(), {
      handle,
      manifest: { capabilities: CAPABILITIES, ...(agent && { agent }) },
    })
    scene.service.model.say(...turns.map((asked) => calls(...asked)), text('Done.'))
    const served = executed(await scene.execute(saying('Go on.')))

    const limits = deploymentLimits({})
    const manifest = compileManifest({
      config: { runtime: '.svc/runtime.ts', ...(agent && { agent }) },
      capabilities: CAPABILITIES.map((each) => Capability.parse(each)),
      sdkVersion: null,
      limits,
    })
    const steps = turns.map((asked) => ({ calls: asked.map(({ name, input }) => ({ call: name, input })) }))
    const parsed = TestSchema.parse({
      mocks: {
        echo: ECHOED.map(({ input }) => ({ input: { exact: input }, output: input })).concat({
          input: { exact: { text: 'fits' } },
          output: { text: 'fits' },
        }),
        fails: { error: 'There are only 3 left.' },
        bare: { output: [null, { deep: 'ä' }] },
      },
      turns: [{ user: 'Go on.', model: [{ say: 'replaced below' }], expect: { calls: [] } }],
    })
    const [turn] = parsed.turns
    // Inputs that no file may hold, such as a list, are what a real model may ask for.
    const model = [...steps.map(({ calls }) => ({ say: null, calls })), { say: 'Done.', calls: [] }]
    const played = await playHere(
      {
        env: {},
        timers: { now: () => 0, every: () => () => undefined, after: () => () => undefined },
        onError: () => undefined,
      },
      {
        test: {
          ...parsed,
          name: 'x',
          file: 'x',
          lineOf: () => null,
          turns: turn ? [Object.assign(turn, { model })] : [],
        },
        project: { runtime: defineRuntime({ capabilities: [] }), manifest },
      },
    ).conversation.play(0)

    expect(comparable(played.messages)).toEqual(comparable(served.messages))
    expect(played.finishReason).toBe(served.finishReason)
  })
})
