import { expect, test } from 'vitest'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { openStream, type Run } from '../support/event-stream.ts'
import { type Scene, saying, setScene } from '../support/scene.ts'

/** An answer that was streamed, with its key. */
async function streamed({ service, runtime }: Scene): Promise<Run> {
  const url = service.app.server.listening
    ? service.app.listeningOrigin
    : await service.app.listen({ host: '127.0.0.1', port: 0 })
  const answer = await openStream(`${url}/v1/runtime/execute`, { key: runtime.publicKey, body: saying() })
  await answer.rest()
  if (answer.run === null) throw new Error('the stream told no execution')
  return answer.run
}

describeEngines('what an end user thinks of an answer', (engine) => {
  const database = useDatabase(engine)

  async function setRatedScene() {
    const scene = await setScene(database(), { tier: 'enterprise' })
    const { service, owner, runtime } = scene
    const rate = (run: Run, value: unknown, key = runtime.publicKey) =>
      service.send('PUT', `/v1/runtime/executions/${run.executionId}/feedback`, {
        key,
        headers: { 'x-svc-resume-key': run.resumeKey },
        body: { value },
      })
    const read = async (path: string) => (await service.send('GET', path, { key: owner.apiKey })).json()
    return { ...scene, rate, read }
  }

  // holds FBK-01, FBK-03
  test('is stored as a number, changed and taken back, and stands in trace, list and totals', async () => {
    const scene = await setRatedScene()
    const { rate, read } = scene
    const [good, bad, none] = [await streamed(scene), await streamed(scene), await streamed(scene)]
    const answer = await rate(good, -1)
    expect([answer.statusCode, answer.json()]).toEqual([200, { executionId: good.executionId, feedback: -1 }])
    for (const [run, value] of [
      [good, 1],
      [bad, -1],
      [none, 1],
      [none, null],
    ] as const)
      await rate(run, value)
    expect((await read(`/v1/executions/${good.executionId}`)).feedback).toBe(1)
    const listed = async (query: string) =>
      (await read(`/v1/executions${query}`)).executions.map((row: { executionId: string }) => row.executionId)
    expect(await listed('?feedback=down')).toEqual([bad.executionId])
    expect(await listed('?feedback=up')).toEqual([good.executionId])
    expect(await listed('')).toHaveLength(3)
    expect((await read('/v1/analytics/summary')).totals).toMatchObject({ thumbsUp: 1, thumbsDown: 1 })
  })

  // holds FBK-02
  test('is refused alike for a wrong id, a wrong key and the key of another runtime', async () => {
    const scene = await setRatedScene()
    const { rate, read, service } = scene
    const run = await streamed(scene)
    const other = await service.runtime(await service.owner('pro'))
    const absent = await rate({ ...run, executionId: `${run.executionId.slice(0, -1)}x` }, 1)
    const refusals = [absent, await rate({ ...run, resumeKey: 'guessed' }, 1), await rate(run, 1, other.publicKey)]
    expect(new Set(refusals.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
    expect(absent.statusCode).toBe(404)
    expect((await read(`/v1/executions/${run.executionId}`)).feedback).toBeNull()
  })
})
