import { createConversation, createExecutionClient } from '@svc/widget'
import { expect, test } from 'vitest'
import { APPROVING, dispatched } from '../../server/test/support/approvals.ts'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { setScene } from '../../server/test/support/scene.ts'
import { calls, text } from '../../server/test/support/scripted-model.ts'
import { describeInBrowser } from './support/browser.ts'
import { memory } from './support/conversation.ts'
import { STRICT_POLICY } from './support/service-double.ts'

const WAITING = { timeout: 10_000 }

describeEngine('sqlite', 'a call that waits for the end user', (engine) => {
  const database = useDatabase(engine)

  async function start() {
    const scene = await setScene(database(), APPROVING)
    scene.service.model.say(calls({ name: 'pay', input: { value: 250 } }), text('It is settled.'))
    const baseUrl = await scene.service.app.listen({ host: '127.0.0.1', port: 0 })
    const client = createExecutionClient({ baseUrl, publicKey: scene.runtime.publicKey })
    const [storage, approvalStorage] = [memory(), memory()]
    const open = () => {
      const conversation = createConversation({ client, storage, approvalStorage })
      conversation.resume()
      const approvals = () =>
        conversation.getSnapshot().turns.flatMap((turn) => (turn.role === 'assistant' ? turn.approvals : []))
      const states = () => approvals().map(({ state }) => state)
      return { conversation, approvals, states }
    }
    const first = open()
    first.conversation.send('Pay it')
    await expect.poll(first.states, WAITING).toEqual(['pending'])
    return { scene, first, client, open, storage, approvalStorage, id: first.approvals()[0]?.id ?? '' }
  }

  test.each([
    ['approve', 'approved', 1],
    ['decline', 'declined', 0],
  ] as const)('%s goes on with the result, after a reload too, and the key is kept apart', async (...given) => {
    const [decision, state, made] = given
    const { scene, open, storage, approvalStorage, id } = await start()
    expect(approvalStorage.text).toContain(id)
    expect(storage.text).not.toContain(Object.values(JSON.parse(approvalStorage.text ?? '{}'))[0])
    const { conversation, states } = open()
    conversation.decide(id, decision)
    conversation.decide(id, 'decline')
    await expect.poll(states, WAITING).toEqual([state])
    await expect.poll(() => JSON.stringify(conversation.getSnapshot().turns), WAITING).toContain('It is settled.')
    expect(dispatched(scene.endpoint)).toHaveLength(made)
    expect(scene.service.model.requests).toHaveLength(2)
    expect(JSON.parse(approvalStorage.text ?? '{}')).not.toHaveProperty(id)
  })

  test('a second tab is told what the first one decided', async () => {
    const { scene, first, open, id } = await start()
    const second = open()
    first.conversation.decide(id, 'decline')
    await expect.poll(first.states, WAITING).toEqual(['declined'])
    second.conversation.decide(id, 'approve')
    await expect.poll(second.states, WAITING).toEqual(['declined'])
    expect(dispatched(scene.endpoint)).toEqual([])
  })

  test('another tab of the device cannot decide, shows what was decided, and tells the model when it asks', async () => {
    const { scene, first, client, storage, id } = await start()
    let changed = () => {}
    const onChange = (listener: () => void) => {
      changed = listener
      return () => {}
    }
    const shared = { ...storage, load: () => storage.text, onChange }
    const second = createConversation({ client, storage: shared, approvalStorage: memory() })
    second.resume()
    const answers = () => second.getSnapshot().turns.filter((turn) => turn.role === 'assistant')
    const states = () => answers().flatMap(({ approvals }) => approvals.map(({ state }) => state))
    second.decide(id, 'approve')
    changed()
    expect(states()).toEqual(['elsewhere'])
    first.conversation.decide(id, 'decline')
    await expect.poll(() => storage.text, WAITING).toContain('It is settled.')
    changed()
    expect([states(), answers().length]).toEqual([['declined'], 1])
    scene.service.model.say(text('Well.'))
    second.send('And now?')
    await expect.poll(() => scene.service.model.requests.length, WAITING).toBe(3)
    expect(JSON.stringify(scene.service.model.requests.at(-1)?.messages)).toContain('declined this call')
  })
})

describeInBrowser('the card of a call that waits', (browser) => {
  describeEngine('sqlite', 'in a page', (engine) => {
    const database = useDatabase(engine)

    test.each(['Approve', 'Decline'])('is there after a reload, and takes %s', async (name) => {
      const scene = await setScene(database(), APPROVING)
      scene.service.model.say(calls({ name: 'pay', input: { value: 250 } }), text('It is settled.'))
      const url = await scene.service.app.listen({ host: '127.0.0.1', port: 0 })
      browser.service.page.policy = STRICT_POLICY.replace("connect-src 'self'", `connect-src ${url}`)
      const html = `<svc-chat base-url="${url}" public-key="${scene.runtime.publicKey}" persist="session"></svc-chat>`
      const page = await browser.open({ html })
      await page.locator('svc-chat textarea').fill('Pay it')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: `${name}: Pay 250` }).waitFor()
      await page.reload()
      await page.locator('svc-chat .approval').getByText('€250.00').waitFor()
      await page.getByRole('button', { name: `${name}: Pay 250` }).click()
      const sentence = name === 'Approve' ? 'Approved. It was done.' : 'Declined. Nothing was done.'
      await page.locator('svc-chat .approval').getByText(sentence).waitFor()
      await page.locator('svc-chat .log').getByText('It is settled.').waitFor()
      expect(dispatched(scene.endpoint)).toHaveLength(name === 'Approve' ? 1 : 0)
    })
  })
})
