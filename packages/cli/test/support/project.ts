import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const NODE_MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url))

type WhenOver = (end: () => void) => void

/** A folder with these files, in which `@svc/sdk` and `zod` resolve. It is gone when the test is over. */
export function createProject(files: Record<string, string>, whenOver: WhenOver = onTestFinished): string {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'svc-cli-')))
  whenOver(() => rmSync(parent, { recursive: true, force: true }))
  symlinkSync(NODE_MODULES, join(parent, 'node_modules'))
  // Its own is empty, so that what is cached in it goes with the project; packages are found one folder up.
  const folder = join(parent, 'project')
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), contents)
  }
  return folder
}

export const CONFIG = `
import { defineConfig } from '@svc/sdk'

export default defineConfig({
  apiKey: process.env.SVC_API_KEY,
  endpoint: 'https://shop.example.com/svc',
  website: { name: 'Example Shop', url: 'https://shop.example.com' },
  adp: { namespace: 'com.example.shop' },
  agent: { instructions: 'Be brief.' },
})
`

/** A runtime module with one capability of each name; those in \`bare\` have no input schema. */
export function runtimeModule(names: readonly string[], bare: readonly string[] = []): string {
  const capabilities = names.map((name) => {
    const input = bare.includes(name) ? '' : 'input: z.object({ id: z.string() }),'
    return `defineCapability({ name: '${name}', version: '1.0.0', description: 'About ${name}', ${input} handler: () => ({}) })`
  })
  return `
import { defineCapability, defineRuntime } from '@svc/sdk'
import { z } from 'zod'

export default defineRuntime({ capabilities: [${capabilities.join(',\n')}] })
`
}

/** A project that deploys without a fault. */
export function shopProject(names: readonly string[] = ['order-status', 'refund']): Record<string, string> {
  return { 'svc.config.ts': CONFIG, '.svc/runtime.ts': runtimeModule(names) }
}
