import { expect, test } from 'vitest'
import { faultsIn } from '../support/answers.ts'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

const WEBSITE = { name: 'Hollow <b>Pine</b>', url: 'https://shop.example.com', color: '#2b5a43' }
const CAPABILITIES = [
  capability('place-order', { description: 'Order what is in my cart', confirm: true }),
  capability('list-orders', { description: 'List my orders: newest first.', requiresEndUser: true }),
  capability('close-account', { description: 'Close my account for good', effect: 'destructive' }),
  capability('store-info', { description: 'Tells opening hours, address and returns.' }),
  capability('old-search', { description: 'Search the old way', deprecated: true, deprecatedSince: '1.0.0' }),
  capability('search', { description: 'Search the products by words, category or price.' }),
]

describeEngine('sqlite', 'what a chat shows where its page says nothing', (engine) => {
  const database = useDatabase(engine)

  // holds WSE-01, WSE-02
  test('is name and colour of the website, and what anybody can ask for first', async () => {
    const { service, runtime } = await setScene(database(), {
      manifest: { capabilities: CAPABILITIES, website: WEBSITE },
    })
    const answer = await service.send('GET', '/v1/runtime/widget', { key: runtime.publicKey })
    expect(answer.headers).toMatchObject({ 'cache-control': 'private, max-age=300', vary: 'origin, authorization' })
    expect(answer.json()).toEqual({
      name: WEBSITE.name,
      accent: WEBSITE.color,
      suggestions: ['Store info', 'Search the products by words', 'Order what is in my cart'],
    })
  })

  // holds WSE-01
  test('spends nothing that the chat of the page needs', async () => {
    const { service, runtime, execute } = await setScene(database())
    for (let view = 0; view < 5; view += 1) await service.send('GET', '/v1/runtime/widget', { key: runtime.publicKey })
    expect((await execute()).headers['ratelimit-remaining']).toBe('59')
  })

  // holds WSE-03
  test('has a colour that is one, or the deployment is refused', async () => {
    const { service, runtime } = await setScene(database())
    for (const color of ['red', '#12345', 'url(#a)', '#fff;background:red']) {
      const manifest = { schemaVersion: 2, capabilities: [], website: { ...WEBSITE, color } }
      const answer = await service.send('POST', '/v1/deployments', { key: runtime.deployKey, body: { manifest } })
      expect(faultsIn(answer)).toEqual({ 'manifest.website.color': ['must be a colour such as #1f4fd8.'] })
    }
  })
})
