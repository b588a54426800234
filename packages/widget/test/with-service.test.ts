import { type Conversation, createConversation, createExecutionClient } from '@svc/widget'
import { expect, test } from 'vitest'
import { ModelError } from '../../server/src/model/model.ts'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { setScene } from '../../server/test/support/scene.ts'
import { calls, text } from '../../server/test/support/scripted-model.ts'

describeEngine('sqlite', 'a conversation with the service itself', (engine) => {
  const database = useDatabase(engine)

  const ended = (conversation: Conversation) =>
    new Promise<void>((resolve) => {
      const leave = conversation.subscribe(() => {
        if (conversation.getSnapshot().isBusy) return
        leave()
        resolve()
      })
    })

  test('goes on from what was done before the model failed: no order is placed twice', async () => {
    const { service, endpoint, runtime } = await setScene(database())
    const actions = [{ type: 'link', label: 'Pay', url: 'https://shop.example.com/pay' }]
    endpoint.script('echo', () => ({ output: { orderNumber: 'ORD-1', svc: { actions } } }))
    service.model.say(
      calls({ name: 'echo', input: { text: 'order' } }),
      () => {
        throw new ModelError('The model is away.')
      },
      text('It is placed.'),
    )
    const baseUrl = await service.app.listen({ host: '127.0.0.1', port: 0 })
    const client = createExecutionClient({ baseUrl, publicKey: runtime.publicKey })
    const conversation = createConversation({ client })
    const answer = () => conversation.getSnapshot().turns.at(-1)

    conversation.send('Order it')
    await ended(conversation)
    expect(answer()).toMatchObject({
      state: 'failed',
      problem: { detail: 'The model is away.' },
      outputs: [{ actions: [{ label: 'Pay' }] }],
    })

    conversation.retry()
    await ended(conversation)
    expect(answer()).toMatchObject({
      state: 'completed',
      blocks: [{ name: 'echo', state: 'completed' }, { text: 'It is placed.' }],
      outputs: [{ actions: [{ label: 'Pay' }] }],
    })
    expect(endpoint.effects).toHaveLength(1)
    expect(service.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })
})
