import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { z } from 'zod'

const SVC = fileURLToPath(new URL('../../../packages/cli/bin/svc.js', import.meta.url))
const SHOP = fileURLToPath(new URL('..', import.meta.url))

test('svc test passes the shop’s ten conversations, in a shop that is in memory', async () => {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, SHOP_DATABASE: ':memory:' }
  const { stdout } = await promisify(execFile)(process.execPath, [SVC, 'test', '--json'], { cwd: SHOP, env })
  const { tests } = z.object({ tests: z.array(z.object({ ok: z.boolean() })) }).parse(JSON.parse(stdout))
  expect(tests).toHaveLength(10)
  expect(tests.filter(({ ok }) => !ok)).toEqual([])
}, 60_000)
