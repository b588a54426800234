import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bundle } from './support/bundle.ts'

/** Kilobytes (1,000 bytes) of each entry with all that it imports, minified and compressed; docs/reference/serving.md states them. */
const CEILINGS: readonly (readonly [entry: string, kilobytes: number])[] = [
  ['@svc/sdk', 58],
  ['@svc/sdk/node', 2],
  ['@svc/sdk/express', 2],
  ['@svc/sdk/fastify', 2],
  ['@svc/sdk/lambda', 2],
]

test.each(CEILINGS)('%s stays below %i kB, minified and compressed', async (entry, kilobytes) => {
  const script = await bundle(`import * as all from '${entry}'; globalThis.all = all`, { minify: true })
  const size = gzipSync(script).length / 1000
  process.stdout.write(`${entry}: ${size.toFixed(1)} kB\n`)
  expect(size).toBeLessThan(kilobytes)
  expect(size).toBeGreaterThan(0.5)
})
