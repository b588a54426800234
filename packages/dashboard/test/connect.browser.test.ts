import { expect, test } from 'vitest'
import { describeScreens } from './support/dashboard.ts'

describeScreens('connecting a host of agents', (scene) => {
  test('shows what each host needs, copies it, and shows the calls that came over MCP', async () => {
    const account = await scene.openSignedIn('', { permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = account
    const { runtimeId } = await scene.deployedRuntime(account)
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}`)
    await page.getByRole('link', { name: 'Connect' }).click()
    await page.getByText('No call yet').waitFor()
    const url = `${scene.url}/v1/mcp/${runtimeId}`
    const copied = async (name: string) => {
      await page.getByRole('button', { name: `Copy ${name}`, exact: true }).click()
      return page.evaluate('navigator.clipboard.readText()')
    }
    expect(await copied('the address of the MCP server')).toBe(url)
    expect(await copied('what Claude Code needs')).toBe(`claude mcp add --transport http mug-shop '${url}'`)
    await page.getByRole('radio', { name: 'VS Code' }).check({ force: true })
    expect(JSON.parse(String(await copied('what VS Code needs')))).toEqual({
      servers: { 'mug-shop': { type: 'http', url } },
    })

    const params = { name: 'search-products', arguments: { query: 'mug' } }
    const called = await scene.service.send('POST', `/v1/mcp/${runtimeId}`, {
      headers: { 'mcp-protocol-version': '2025-11-25' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    expect(called.json().result.isError).toBe(false)
    // The page asks by itself every few seconds. A call of the broker is none of these.
    await scene.service.send('POST', `/v1/capabilities/${runtimeId}/search-products`, {
      body: { input: params.arguments },
    })
    await page.getByRole('table', { name: 'Last calls over MCP' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
  })

  test('says what is missing', async () => {
    const { page, call } = await scene.signIn()
    const created = await call('POST', '/v1/runtimes', { name: 'Empty' })
    const { runtimeId, deployKey } = { runtimeId: '', deployKey: '', ...Object(created) }
    await page.goto(`${scene.url}/dashboard/runtimes/${runtimeId}/connect`)
    await page.getByText('Nothing is deployed yet').waitFor()
    const manifest = { schemaVersion: 2, capabilities: [] }
    await scene.service.send('POST', '/v1/deployments', { key: deployKey, body: { manifest } })
    await page.getByText('The runtime has no endpoint').waitFor()
    await page.getByRole('link', { name: 'Set the endpoint' }).waitFor()
  })
})
