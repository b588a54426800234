import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../support/engines.ts'
import { findings } from '../support/openapi-findings.ts'
import { startForTest } from '../support/service.ts'

// No id of a runtime is “approvals”: ids begin with “rt_”.
const UNAMBIGUOUS = '`/v1/runtime/{runtimeId}/manifest` and `/v1/runtime/approvals/{approvalId}`'

describeEngine('sqlite', 'the description of the API, linted', (engine) => {
  const database = useDatabase(engine)

  async function read(): Promise<Record<string, unknown>> {
    const service = await startForTest(database())
    return (await service.send('GET', '/openapi.json')).json()
  }

  // holds API-04
  test('has no findings', async () => {
    const found = await findings(await read())
    expect(found.filter((finding) => !finding.includes(UNAMBIGUOUS))).toEqual([])
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
