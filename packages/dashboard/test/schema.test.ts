import openapiTypescript, { astToString } from 'openapi-typescript'
import { expect, test } from 'vitest'
import { describeEngine, useDatabase } from '../../server/test/support/engines.ts'
import { startForTest } from '../../server/test/support/service.ts'

describeEngine('sqlite', 'the types of the API', (engine) => {
  const database = useDatabase(engine)

  // `npm run generate:api` writes the file anew: it is this test, told to update what it compares with.
  // holds WID-02
  test('are those of the API’s own description', async () => {
    const service = await startForTest(database())
    const description = await service.send('GET', '/openapi.json')
    const types = astToString(await openapiTypescript(description.body, { alphabetize: false }))
    await expect(`// Written by “npm run generate:api”, from /openapi.json.\n${types}`).toMatchFileSnapshot(
      '../src/api/schema.gen.ts',
    )
  })
})
