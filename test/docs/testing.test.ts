import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { sampleOf, samplesOf } from '../support/doc-samples.ts'
import { sampleFolder } from '../support/sample-folder.ts'

const PAGE = 'docs/guides/testing.md'

const samplesUnder = (...titles: string[]) => titles.map((title) => sampleOf(PAGE, title))

// The page’s test files register their tests here, and run word for word.
describe('the page’s own tests', async () => {
  const titles = ['`order-status.ts`', '`order-status.test.ts`', '`endpoint.test.ts`']
  const folder = sampleFolder(samplesUnder(...titles), afterAll)
  for (const name of ['order-status', 'endpoint']) await import(join(folder, `${name}.test.ts`))
})

test('every test file of the page is among those that run', () => {
  const files = samplesOf(PAGE).flatMap(({ path }) => (path?.endsWith('.test.ts') ? [path] : []))
  expect(files.sort()).toEqual(['endpoint.test.ts', 'order-status.test.ts'])
})
