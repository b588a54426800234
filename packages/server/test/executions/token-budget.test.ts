import { expect, test } from 'vitest'
import type { ModelEvent } from '../../src/model/model.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { deployed, executed, type Scene, saying, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const manifest = { capabilities: [capability('echo')] }

function turn(usage: { inputTokens: number; outputTokens: number }): ModelEvent[] {
  return [
    { type: 'tool_call', name: 'echo', input: {} },
    { type: 'end', reason: 'tool_calls', usage },
  ]
}

// The loop is the same over any store; execute.test.ts holds what it stores on both engines.
describeEngine('sqlite', 'the tokens of one execution', (engine) => {
  const database = useDatabase(engine)

  async function stepsOf(scene: Scene): Promise<number> {
    const { finishReason, status, executionId } = executed(await scene.execute())
    expect([status, finishReason]).toEqual(['completed', 'length'])
    return (await scene.trace(executionId)).steps
  }

  // holds LOOP-13
  test('end it as cut before the model call that would begin past them, input and output together', async () => {
    const scene = await setScene(database(), { manifest, limits: { executionTokens: 100 } })
    scene.service.model.say(turn({ inputTokens: 20, outputTokens: 20 }))
    expect(await stepsOf(scene)).toBe(3)
    scene.service.model.say(turn({ inputTokens: 40, outputTokens: 10 }))
    expect(await stepsOf(scene)).toBe(2)
    const { messages } = executed(await scene.execute(saying('Go on')))
    expect(messages.at(-1)?.role).toBe('tool')
  })

  // holds LOOP-13
  test('are estimated from the bytes of prompt and answer where the provider reports none', async () => {
    const scene = await setScene(database(), { manifest, limits: { executionTokens: 10_000 } })
    scene.service.model.say(turn({ inputTokens: 0, outputTokens: 0 }))
    const { executionId, finishReason, totalTokens } = executed(await scene.execute(saying('x'.repeat(20_000))))
    expect([finishReason, totalTokens]).toEqual(['length', 0])
    expect((await scene.trace(executionId)).steps).toBe(2)
  })

  // holds DEP-25
  test('are limited, like its steps, by lower limits of the deployment, which cannot raise them', async () => {
    const limits = { executionTokens: 100, steps: 4 }
    const scene = await setScene(database(), { manifest, limits })
    const { service, runtime } = scene
    const stepsWith = async (own: object) => {
      await deployed(service, runtime, { ...manifest, agent: { limits: own } })
      service.model.say(turn({ inputTokens: 5, outputTokens: 5 }))
      return stepsOf(scene)
    }
    expect(await stepsWith({ tokens: 15 })).toBe(2)
    expect(await stepsWith({ steps: 3 })).toBe(3)
    expect(await stepsWith({ steps: 1_000_000, tokens: 1_000_000 })).toBe(4)
    expect(await stepsWith({})).toBe(4)
  })

  // holds DEP-25
  test('of a deployment must be whole numbers above zero', async () => {
    const { service, runtime } = await setScene(database(), { manifest })
    for (const [limits, field] of [
      [{ tokens: 0 }, 'manifest.agent.limits.tokens'],
      [{ steps: -1 }, 'manifest.agent.limits.steps'],
      [{ steps: 1.5 }, 'manifest.agent.limits.steps'],
      [{ calls: 5 }, 'manifest.agent.limits.calls'],
    ] as const) {
      const body = { manifest: { schemaVersion: 2, ...manifest, agent: { limits } } }
      const answer = await service.send('POST', '/v1/deployments', { key: runtime.deployKey, body })
      expect([answer.statusCode, Object.keys(answer.json().error.details.fieldErrors)]).toEqual([400, [field]])
    }
  })
})
