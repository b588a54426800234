import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundledWidget } from './support/service-double.ts'

test('the one script is at most 30 KB compressed, and holds no schema library', async () => {
  const script = await bundledWidget()
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(30_000)
  const text = new TextDecoder().decode(script)
  expect(text).not.toContain('ZodError')
  // Nothing that turns text into markup or code.
  expect(text.match(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|new Function|\beval\b/g)).toBeNull()
})
