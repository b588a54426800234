import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { ModelEvent } from '../../server/src/model/model.ts'
import { deferred } from '../../server/test/support/deferred.ts'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { type Scene, setScene } from '../../server/test/support/scene.ts'
import { describeInBrowser } from './support/browser.ts'
import { STRICT_POLICY } from './support/service-double.ts'

const WORDS = ['One ', 'two ', 'three ', 'four.']
const ALL = WORDS.join('')
const WAITING = { timeout: 15_000 }

describeInBrowser('an answer of the service itself', (browser) => {
  describeEngine('sqlite', 'in a page', (engine) => {
    const database = useDatabase(engine)

    /** A chat whose model says one word more each time that the test calls `say`. */
    async function open(attributes = ''): Promise<{ scene: Scene; page: Page; say(): void; ask(): Promise<void> }> {
      const scene = await setScene(database(), { tier: 'enterprise' })
      const words = WORDS.map((content) => ({ content, ...deferred() }))
      const unsaid = [...words]
      scene.service.model.say(async function* ({ signal }): AsyncGenerator<ModelEvent> {
        const stopped = deferred()
        signal.addEventListener('abort', stopped.resolve)
        for (const { content, promise } of words) {
          await Promise.race([promise, stopped.promise])
          if (signal.aborted) break
          yield { type: 'text', content }
        }
        yield { type: 'end', reason: 'stop', usage: { inputTokens: 1, outputTokens: 4 } }
      })
      const url = await scene.service.app.listen({ host: '127.0.0.1', port: 0 })
      browser.service.page.policy = STRICT_POLICY.replace("connect-src 'self'", `connect-src ${url}`)
      const key = scene.runtime.publicKey
      const html = `<svc-chat base-url="${url}" public-key="${key}" ${attributes}></svc-chat>`
      const page = await browser.open({ html })
      const ask = async () => {
        await page.locator('svc-chat textarea').fill('Count')
        await page.keyboard.press('Enter')
      }
      return { scene, page, say: () => unsaid.shift()?.resolve(), ask }
    }

    const textOf = (page: Page) => page.locator('svc-chat .log [part~=text]').allInnerTexts()
    const keptIn = (page: Page) => page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))
    const shows = (page: Page, text: string) =>
      expect.poll(async () => (await textOf(page)).map((part) => part.trim()), WAITING).toEqual([text.trim()])

    test('is whole, and there once, after its page was offline for ten seconds in the middle of it', async () => {
      const { scene, page, say, ask } = await open()
      let failed = 0
      page.on('requestfailed', () => {
        failed += 1
      })
      await page.clock.install()
      await ask()
      say()
      await shows(page, 'One')
      await page.context().setOffline(true)
      // A browser that is told to be offline keeps the connections that it has.
      scene.service.app.server.closeAllConnections()
      say()
      // The stream itself, and each try to resume it.
      for (const seconds of [1, 1, 2, 4, 2]) {
        const before = failed
        await page.clock.runFor(seconds * 1_000)
        if (seconds > 1) await expect.poll(() => failed, WAITING).toBeGreaterThan(before)
      }
      say()
      await page.context().setOffline(false)
      say()
      await page.clock.runFor(4_000)
      await shows(page, ALL)
      expect(scene.service.model.requests).toHaveLength(1)
    })

    test.each(['session', 'local'])('goes on after a reload, with persist="%s"', async (persist) => {
      const { scene, page, say, ask } = await open(`persist="${persist}"`)
      await ask()
      say()
      await shows(page, 'One')
      const [inSession, inLocal] = JSON.parse(await keptIn(page))
      expect(JSON.stringify(inSession)).toContain('resumeKey')
      expect(JSON.stringify(inLocal)).not.toContain('resumeKey')
      await page.reload()
      await shows(page, 'One')
      for (const _ of WORDS.slice(1)) say()
      await shows(page, ALL)
      // Beside the conversation, the tab keeps what rates the answer.
      const conversation = async () =>
        Object.entries<string>(Object.assign({}, ...JSON.parse(await keptIn(page)))).filter(
          ([key]) => !key.endsWith(':approvals'),
        )
      await expect.poll(async () => (await conversation()).join(), WAITING).not.toContain('resumeKey')
      expect(scene.service.model.requests).toHaveLength(1)
      await page.reload()
      await shows(page, ALL)
    })

    test.each(['at once', 'after a reload'])('ends with Stop %s: its execution is cancelled', async (when) => {
      const { scene, page, say, ask } = await open('persist="session"')
      await ask()
      say()
      await shows(page, 'One')
      if (when === 'after a reload') {
        await page.reload()
        await shows(page, 'One')
      }
      await page.getByRole('button', { name: 'Stop the answer' }).click()
      await page.locator('svc-chat .log').getByText('You stopped the answer.').waitFor()
      await expect.poll(() => scene.service.deps.running.size, WAITING).toBe(0)
      const { apiKey: key } = scene.owner
      const list = await scene.service.send('GET', '/v1/executions', { key })
      const trace = await scene.service.send('GET', `/v1/executions/${list.json().executions[0].executionId}`, { key })
      expect(trace.json()).toMatchObject({ status: 'failed', finishReason: 'cancelled' })
      expect(await keptIn(page)).not.toContain('resumeKey')
    })
  })
})
