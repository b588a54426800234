import { expect, test } from 'vitest'
import { sampleOf } from '../support/doc-samples.ts'

test('the capability of the README is the one that the guide makes, deploys and calls', () => {
  const { code } = sampleOf('README.md', 'A capability')
  expect(code).toBe(sampleOf('docs/guides/first-capability.md', '`src/capabilities/shipping-cost.ts`').code)
})
