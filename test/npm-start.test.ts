import { once } from 'node:events'
import { expect, test } from 'vitest'
import { start } from './support/programs.ts'
import { scratchFolder } from './support/sample-folder.ts'
import { ROOT } from './support/source-tree.ts'

// holds OPS-01
test('npm start hands SIGTERM on to the server, which drains, and exits 0', async () => {
  const folder = scratchFolder()
  const env = { PATH: process.env['PATH'], HOME: folder, SVC_DATA_DIR: folder, PORT: '0', SVC_MODEL: 'demo:rules' }
  const { child, match: url } = await start('npm', ['start'], { cwd: ROOT, until: /listening on (\S+)/, env })
  expect((await fetch(`${url}/health`)).status).toBe(200)

  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')

  expect(code).toBe(0)
  await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed')
}, 60_000)
