import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { startForTest } from '../support/service.ts'

// No id of a runtime is “approvals”: ids begin with “rt_”.
const UNAMBIGUOUS = '`/v1/runtime/{runtimeId}/manifest` and `/v1/runtime/approvals/{approvalId}`'

/** Findings of a linter’s recommended rules, none of which is switched off. */
async function findings(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], telemetry: 'off' })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
  const found = problems.filter(({ message }) => !message.includes(UNAMBIGUOUS))
  return found.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}

describeEngine('sqlite', 'the description of the API, linted', (engine) => {
  const database = useDatabase(engine)

  async function read(): Promise<Record<string, unknown>> {
    const service = await startForTest(database())
    return (await service.send('GET', '/openapi.json')).json()
  }

  // holds API-04
  test('has no findings', async () => {
    expect(await findings(await read())).toEqual([])
  })

  test('would have findings for a faulty description', async () => {
    const { paths, tags: _tags, ...rest } = await read()
    const broken = { ...Object(paths), '/v1/{nowhere}': { get: { responses: { 200: { description: 'x' } } } } }
    const found = await findings({ ...rest, components: {}, paths: broken })
    expect(found.join('\n')).toContain('no-unresolved-refs')
    expect(found.join('\n')).toContain('path-parameters-defined')
    expect(found.join('\n')).toContain('operation-operationId')
  })
})
