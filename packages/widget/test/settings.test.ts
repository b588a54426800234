import { expect, test } from 'vitest'
import { describeInBrowser } from './support/browser.ts'

describeInBrowser('a page that says nothing of the chat', (scene) => {
  const heading = 'svc-chat .heading'

  test('shows name, colour and suggestions of the runtime, as text', async () => {
    const name = 'Pine <img src=x onerror="window.ran=1">'
    scene.service.settings = { name, accent: '#2b5a43', suggestions: ['<b>Search</b> the products', 7, 'Store info'] }
    const page = await scene.open()
    await page.locator(heading, { hasText: name }).waitFor()
    const suggestions = page.locator('svc-chat .suggestion')
    expect(await suggestions.allInnerTexts()).toEqual(['<b>Search</b> the products', 'Store info'])
    expect(await page.locator('svc-chat .greeting').innerText()).toBe(`How can ${name} help you?`)
    const color = await page.locator('svc-chat .send').evaluate((button) => getComputedStyle(button).backgroundColor)
    expect([color, await page.evaluate('window.ran')]).toEqual(['rgb(43, 90, 67)', undefined])
  })

  test('shows what it says itself in their place', async () => {
    scene.service.settings = { name: 'Pine', accent: '#ff0', suggestions: ['Store info'] }
    const page = await scene.open({ attributes: 'heading="Ask us" suggestions="Hello?"' })
    await page.evaluate(`document.querySelector('svc-chat').style.setProperty('--svc-accent', 'rgb(1, 2, 3)')`)
    await page.locator('svc-chat .greeting', { hasText: 'How can Pine help you?' }).waitFor()
    expect(await page.locator(heading).innerText()).toBe('Ask us')
    expect(await page.locator('svc-chat .suggestion').allInnerTexts()).toEqual(['Hello?'])
    const color = await page.locator('svc-chat .send').evaluate((button) => getComputedStyle(button).backgroundColor)
    expect(color).toBe('rgb(1, 2, 3)')
  })

  test('gets a colour that can be read in light and in dark, and none that is not one', async () => {
    const accentIn = async (colorScheme: 'light' | 'dark', accent: string) => {
      scene.service.settings = { name: 'Pine', accent, suggestions: [] }
      const page = await scene.open({ context: { colorScheme } })
      await page.locator(heading, { hasText: 'Pine' }).waitFor()
      return page.locator('svc-chat .send').evaluate((button) => getComputedStyle(button).backgroundColor)
    }
    expect(await accentIn('light', '#ff0')).not.toBe('rgb(255, 255, 0)')
    expect(await accentIn('dark', '#ff0')).toBe('rgb(255, 255, 0)')
    expect(await accentIn('dark', '#000')).not.toBe('rgb(0, 0, 0)')
    expect(await accentIn('light', 'red;}*{display:none}')).toBe('rgb(31, 79, 216)')
  })
})
