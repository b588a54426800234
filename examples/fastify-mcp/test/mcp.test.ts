import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { createService, serveCapabilities } from '@svc/example-fastify-mcp'
import { describeCapabilities } from '@svc/sdk'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestClock } from '../../../packages/server/test/support/clock.ts'
import { describeEngine, useDatabase } from '../../../packages/server/test/support/engines.ts'
import { startService, type TestService } from '../../../packages/server/test/support/service.ts'

const NOW = Date.UTC(2027, 5, 1, 12, 40)

// The protocol's own client is the judge: the store makes no difference to it.
describeEngine('sqlite', 'the weather service as an MCP server', (engine) => {
  const database = useDatabase(engine)
  const weather = createService(() => NOW)
  let service: TestService
  let url: URL

  beforeAll(async () => {
    service = await startService(database(), { clock: createTestClock(NOW) })
    const runtime = await service.runtime(await service.owner('pro'))
    serveCapabilities(weather, { ...runtime, clock: service.clock })
    const endpoint = `${await weather.app.listen({ port: 0, host: '127.0.0.1' })}/svc`
    await service.deploy(runtime, { capabilities: describeCapabilities(weather.runtime), endpoint })
    url = new URL(`/v1/mcp/${runtime.runtimeId}`, await service.app.listen({ port: 0, host: '127.0.0.1' }))
  })
  afterAll(async () => {
    await service?.close()
    await weather.app.close()
  })

  async function connect(): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(url))
    onTestFinished(() => client.close())
    return client
  }

  test('has a tool for each route that is marked, with the schemas of the route', async () => {
    const { tools } = await (await connect()).listTools()
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint ?? false])).toEqual([
      ['day-readings', true],
      ['latest-reading', true],
      ['list-stations', true],
      ['report-fault', false],
    ])
    expect(tools.at(0)?.inputSchema).toMatchObject({ required: ['stationId', 'day'], additionalProperties: false })
    expect(tools.at(-1)?.outputSchema).toMatchObject({ required: ['faultId'] })
  })

  test('a call is answered by the route', async () => {
    const client = await connect()
    const latest = await client.callTool({ name: 'latest-reading', arguments: { stationId: 'ridge' } })
    expect(latest).toMatchObject({ structuredContent: { station: { name: 'Bare Ridge' }, reading: { celsius: 13 } } })
    const day = await client.callTool({ name: 'day-readings', arguments: { stationId: 'ridge', day: '2027-06-01' } })
    expect(day.structuredContent).toHaveProperty('readings.length', 13)
    const coast = await client.callTool({ name: 'list-stations', arguments: { region: 'coast' } })
    expect(coast.structuredContent).toHaveProperty('stations.length', 2)
  })

  test('a route’s refusal is the tool’s, and an input that its schema refuses never reaches it', async () => {
    const client = await connect()
    const unknown = await client.callTool({ name: 'latest-reading', arguments: { stationId: '../firmware' } })
    expect(unknown).toMatchObject({ isError: true, content: [{ text: 'There is no station “../firmware”.' }] })
    const vague = await client.callTool({
      name: 'report-fault',
      arguments: { stationId: 'mill', part: 'door', note: 'Open.' },
    })
    expect(vague).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('input.part') }] })
  })
})
