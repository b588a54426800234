import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { LEGACY, listen, MODERN, mcpPath } from '../support/mcp.ts'
import { failuresIn, renameTools, runConformance, TOOLS } from '../support/mcp-conformance.ts'
import { expectedFailures } from '../support/mcp-conformance-exceptions.ts'
import { type Scene, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

// A judge of the wire: the store makes no difference to it.
describeEngine('sqlite', 'the conformance suite of the protocol', (engine) => {
  const database = useDatabase(engine)

  // holds MCP-21
  test.each([MODERN, LEGACY])(
    'finds nothing at %s but what is expected',
    async (revision) => {
      const scene = await setScene(database(), {
        tier: 'enterprise',
        handle: {
          'test-simple-text': () => ({ output: 'A text.' }),
          'test-error-handling': () => ({ error: 'Out of stock.' }),
          'test-logging-tool': () => ({ output: null }),
        },
        manifest: { capabilities: Object.entries(TOOLS).map(([name, fields]) => capability(name, fields)) },
      })
      const url = await renameTools(`${await listen(scene)}${mcpPath(scene)}`)
      await admitOnly(scene, new URL(url).origin)
      const checks = await runConformance(url, revision)
      const expected = expectedFailures(revision)
      expect(failuresIn(checks, expected)).toEqual(expected)
    },
    120_000,
  )
})

/** Origins are checked where a runtime lists them. */
async function admitOnly({ service, runtime, owner }: Scene, origin: string): Promise<void> {
  const path = `/v1/runtimes/${runtime.runtimeId}/allowed-origins`
  const answer = await service.send('PUT', path, { key: owner.apiKey, body: { origins: [origin] } })
  expect(answer.statusCode).toBe(200)
}
