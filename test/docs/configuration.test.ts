import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcConfig } from '@svc/contract'
import { expect, test } from 'vitest'
import { DEPLOY_KEY } from '../../packages/cli/test/support/keys.ts'
import { createProject, shopProject } from '../../packages/cli/test/support/project.ts'
import { NOWHERE, runSvc } from '../../packages/cli/test/support/run-svc.ts'
import { DEFAULT_LIMITS } from '../../packages/server/src/limits.ts'
import { PROVIDERS } from '../../packages/server/src/model/model-spec.ts'
import { sampleOf, samplesOf } from '../support/doc-samples.ts'
import { ROOT } from '../support/source-tree.ts'

const PAGE = 'docs/reference/configuration.md'
const page = readFileSync(join(ROOT, PAGE), 'utf8')
const ENVIRONMENT = { SVC_API_KEY: DEPLOY_KEY, SVC_BASE_URL: NOWHERE, SVC_RUNTIME_ID: 'rt_exampleShop' }

test('the page has a row for each field of svc.config.ts, and no other', () => {
  const [, section = ''] = /^## `svc\.config\.ts`\n([\s\S]*?)(?=^## )/m.exec(page) ?? []
  const rows = [...section.matchAll(/^\| `([a-zA-Z.]+)` \|/gm)].map(([, field = '']) => field)
  const { website, adp, agent, endUsers, generators, ...plain } = SvcConfig.shape
  const { limits, ...agentPlain } = agent.unwrap().shape
  const below = (name: string, shape: object) => Object.keys(shape).map((field) => `${name}.${field}`)
  expect(rows.sort()).toEqual(
    [
      ...Object.keys(plain),
      ...below('website', website.unwrap().shape),
      ...below('adp', adp.unwrap().shape),
      ...below('agent', agentPlain),
      ...below('agent.limits', limits.unwrap().shape),
      ...below('endUsers', endUsers.unwrap().shape),
      ...below('generators', generators.unwrap().shape),
    ].sort(),
  )
})

// holds LIM-11
test('the page lists every limit with its default', () => {
  const names = Object.keys(DEFAULT_LIMITS)
  const missing = names
    .map((name) => `SVC_LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`)
    .filter((variable) => !page.includes(`\`${variable}\` |`))
  expect(missing).toEqual([])
})

test('this page and the guide list every provider of models with its key, its default and its base URL', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/models.md'), 'utf8')
  for (const [name, { keyVariable, defaultModel, baseUrlVariable }] of Object.entries(PROVIDERS)) {
    const row = new RegExp(
      `^\\| \`${name}:<model>\` \\|.*\`${keyVariable}\`.*\\| ${defaultModel ? `\`${defaultModel}\`` : '–'} \\|$`,
      'm',
    )
    expect(page).toMatch(row)
    expect(page).toContain(`\`${baseUrlVariable}\``)
    if (defaultModel) expect(guide).toContain(`| \`${keyVariable}\` | \`${name}:${defaultModel}\` |`)
  }
})

const [CONFIG, WITH_GENERATORS] = samplesOf(PAGE).filter(({ path }) => path === 'svc.config.ts')

test('a project with the configuration of the page is in order', async () => {
  const folder = createProject({ ...shopProject(), 'svc.config.ts': CONFIG?.code ?? '' })
  const { exitCode, stderr } = await runSvc(folder, ['generate'], { env: ENVIRONMENT })
  expect([exitCode, stderr]).toEqual([0, ''])
  const manifest = readFileSync(join(folder, '.svc/generated/adp/agent-discovery.json'), 'utf8')
  expect(JSON.parse(manifest)).toMatchObject({ id: 'com.example.shop', name: 'Example Shop' })
})

test('the generator of the page writes its file, and the one that the page switches off writes none', async () => {
  const own = { 'route-list.ts': sampleOf(PAGE, '`route-list.ts`').code, 'svc.config.ts': WITH_GENERATORS?.code ?? '' }
  const folder = createProject({ ...shopProject(['order-status', 'refund']), ...own })
  const { exitCode } = await runSvc(folder, ['generate'], { env: ENVIRONMENT })
  expect(exitCode).toBe(0)
  const generated = join(folder, '.svc/generated')
  const address = `${NOWHERE}/v1/capabilities/rt_exampleShop`
  expect(readFileSync(join(generated, 'route-list/routes.txt'), 'utf8')).toBe(
    `${address}/order-status\n${address}/refund\n`,
  )
  expect(existsSync(join(generated, 'capability-manifest'))).toBe(true)
  expect(existsSync(join(generated, 'openapi'))).toBe(false)
})
