import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  ADP,
  BUILT_IN_FILES,
  CACHE,
  CAPABILITIES,
  generatedFiles,
  generatorSource,
  OPENAPI,
  RUNTIME,
  readJson,
  TEST_TYPES,
  withGenerators,
} from './support/generated.ts'
import { CONFIG, createProject, runtimeModule, shopProject } from './support/project.ts'
import { type Outcome, runSvc } from './support/run-svc.ts'

// No key anywhere: the generators need none.
const ENV = { SVC_BASE_URL: 'https://svc.example.com', SVC_RUNTIME_ID: 'rt_exampleShop' }

function generate(folder: string, args: readonly string[] = [], env: Record<string, string> = ENV): Promise<Outcome> {
  return runSvc(folder, ['generate', ...args], { env })
}

/** `name → status of each file`, as `--json` tells it. */
async function statuses(folder: string, args: readonly string[] = []): Promise<Record<string, unknown>> {
  const { stdout } = await generate(folder, ['--json', ...args])
  const { generators }: { generators: { name: string; status: string; files: { status: string }[] }[] } =
    JSON.parse(stdout)
  return Object.fromEntries(
    generators.map(({ name, status, files }) => [name, [status, ...files.map((file) => file.status)].join(' ')]),
  )
}

describe('a first run', () => {
  // holds CLI-12, GEN-06
  test('writes the five built-in generators’ files at their paths, without a key and without the network', async () => {
    const folder = createProject(shopProject())
    const { exitCode, stdout, stderr } = await generate(folder)

    expect(stderr).toBe('')
    expect(exitCode).toBe(0)
    expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, ...BUILT_IN_FILES].sort())
    for (const path of BUILT_IN_FILES) expect(stdout).toMatch(new RegExp(`^ {2}[a-z-]+ +created +${path}$`, 'm'))
    expect(readJson(folder, OPENAPI)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) })
    expect(readJson(folder, ADP)).toMatchObject({ id: 'com.example.shop' })
  })

  // holds GEN-03
  test('describes the runtime with the versions of SDK and tool, and without the agent’s instructions', async () => {
    const folder = createProject(shopProject())
    await generate(folder)

    const version = expect.stringMatching(/^\d+\.\d+\.\d+/)
    expect(readJson(folder, RUNTIME)).toEqual({
      runtimeId: 'rt_exampleShop',
      name: null,
      baseUrl: 'https://svc.example.com',
      endpoint: 'https://shop.example.com/svc',
      website: { name: 'Example Shop', url: 'https://shop.example.com' },
      adp: { namespace: 'com.example.shop' },
      agent: { hasInstructions: true },
      capabilityCount: 2,
      sdkVersion: version,
      cliVersion: version,
    })
  })

  // holds GEN-02
  test('lists the capabilities in one form, whatever the order they were written in', async () => {
    const schema = (fields: string) => `{ name: 'a', version: '1.0.0', description: '', input: { ${fields} } }`
    const module = (capabilities: string) => `
import { defineCapability, defineRuntime } from '@svc/sdk'
const make = (fields) => defineCapability({ ...fields, handler: () => ({}) })
export default defineRuntime({ capabilities: [${capabilities}] })`
    const other = "make({ name: 'b', version: '1.0.0', description: 'B' })"
    const one = createProject({
      'svc.config.ts': CONFIG,
      '.svc/runtime.ts': module(`${other}, make(${schema("type: 'object', properties: { z: {}, y: {} }")})`),
    })
    const two = createProject({
      'svc.config.ts': CONFIG,
      '.svc/runtime.ts': module(`make(${schema("properties: { y: {}, z: {} }, type: 'object'")}), ${other}`),
    })
    await generate(one)
    await generate(two)

    expect(readFileSync(join(one, CAPABILITIES), 'utf8')).toBe(readFileSync(join(two, CAPABILITIES), 'utf8'))
    expect(readJson(one, CAPABILITIES)).toMatchObject({
      schemaVersion: 2,
      capabilities: [{ name: 'a' }, { name: 'b' }],
    })
  })

  // holds CFG-09
  test('skips the built-in generators that are disabled', async () => {
    const config = withGenerators(CONFIG, "disabled: ['openapi', 'adp', 'runtime-manifest', 'test-types']")
    const folder = createProject({ ...shopProject(), 'svc.config.ts': config })
    expect(await statuses(folder)).toEqual({ 'capability-manifest': 'generated created' })
    expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, CAPABILITIES].sort())
  })

  test('names no address of a runtime that is not known, and says how it becomes known', async () => {
    const folder = createProject(shopProject())
    const { exitCode, stdout, stderr } = await generate(folder, [], { SVC_BASE_URL: ENV.SVC_BASE_URL })
    expect(exitCode).toBe(0)
    expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, CAPABILITIES, RUNTIME, TEST_TYPES].sort())
    expect(stdout).toMatch(/^ {2}adp +no file$/m)
    expect(stderr).toContain('SVC_RUNTIME_ID')
  })
})

describe('a further run', () => {
  // holds GEN-01
  test('skips every generator whose inputs and files are what they were, and touches nothing', async () => {
    const folder = createProject(shopProject())
    await generate(folder)
    const before = generatedFiles(folder)
    const { stdout } = await generate(folder)

    expect(stdout.match(/ skipped \(cached\)$/gm)).toHaveLength(5)
    expect(generatedFiles(folder)).toEqual(before)
  })

  test('writes again what somebody changed or deleted, and leaves the other files alone', async () => {
    const folder = createProject(shopProject())
    await generate(folder)
    const before = generatedFiles(folder)
    writeFileSync(join(folder, OPENAPI), '{}')
    rmSync(join(folder, ADP))

    expect(await statuses(folder)).toEqual({
      'capability-manifest': 'skipped (cached) unchanged',
      'runtime-manifest': 'skipped (cached) unchanged',
      openapi: 'generated updated',
      adp: 'generated created',
      'test-types': 'skipped (cached) unchanged',
    })
    expect(generatedFiles(folder)).toEqual(before)
  })

  // holds CLI-13
  test('runs those generators again whose inputs have changed, and says which files that changed', async () => {
    const folder = createProject({
      ...shopProject(['order-status']),
      'instructed.config.ts': CONFIG.replace("'Be brief.'", "'Be very brief.'"),
      'grown.config.ts': CONFIG.replace('agent:', "runtime: './grown.ts',\n  agent:"),
      'grown.ts': runtimeModule(['order-status', 'refund']),
    })
    await generate(folder)
    const instructed = await statuses(folder, ['--config', 'instructed.config.ts'])
    const grown = await statuses(folder, ['--config', 'grown.config.ts'])

    expect(new Set(Object.values(instructed))).toEqual(new Set(['skipped (cached) unchanged']))
    expect(new Set(Object.values(grown))).toEqual(new Set(['generated updated']))
    expect(readJson(folder, RUNTIME)).toMatchObject({ capabilityCount: 2 })
  })

  // holds CLI-13
  test('runs every generator with --force, and calls a file that comes out the same unchanged', async () => {
    const folder = createProject(shopProject())
    await generate(folder)
    expect(new Set(Object.values(await statuses(folder, ['--force'])))).toEqual(new Set(['generated unchanged']))
  })

  test.each([
    ['is no JSON', '{'],
    ['is of another version', '{ "version": 99, "generators": {}, "runtimes": {} }'],
    [
      'names a file outside its folder',
      JSON.stringify({
        version: 1,
        generators: { gone: { inputs: '0'.repeat(64), files: { '../../../keep.txt': '0'.repeat(64) } } },
        runtimes: {},
      }),
    ],
  ])('takes a cache that %s for none', async (_name, cache) => {
    const folder = createProject({ ...shopProject(), 'keep.txt': 'mine' })
    await generate(folder)
    writeFileSync(join(folder, CACHE), cache)

    expect(new Set(Object.values(await statuses(folder)))).toEqual(new Set(['generated unchanged']))
    expect(new Set(Object.values(await statuses(folder)))).toEqual(new Set(['skipped (cached) unchanged']))
    expect(readFileSync(join(folder, 'keep.txt'), 'utf8')).toBe('mine')
  })

  test('replaces a file as a whole: a reader meanwhile gets the old one or the new one', async () => {
    const folder = createProject(shopProject())
    await generate(folder)
    const paths = [OPENAPI, CACHE].map((path) => join(folder, path))
    for (const path of paths) writeFileSync(path, 'old')
    const readers = paths.map((path) => openSync(path, 'r'))
    await generate(folder)

    expect(readers.map((reader) => readFileSync(reader, 'utf8'))).toEqual(['old', 'old'])
    for (const reader of readers) closeSync(reader)
    expect(readJson(folder, OPENAPI)).toHaveProperty('openapi')
    expect(readJson(folder, CACHE)).toHaveProperty('generators.adp')
    expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, ...BUILT_IN_FILES].sort())
  })

  test('removes the files of a generator that was disabled, but for those that somebody changed', async () => {
    const config = withGenerators(CONFIG, "disabled: ['openapi', 'runtime-manifest']")
    const folder = createProject({ ...shopProject(), 'fewer.config.ts': config })
    await generate(folder)
    writeFileSync(join(folder, RUNTIME), 'mine')

    expect(await statuses(folder, ['--config', 'fewer.config.ts'])).toMatchObject({
      openapi: 'removed removed',
      'runtime-manifest': 'removed',
    })
    expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, CAPABILITIES, RUNTIME, ADP, TEST_TYPES].sort())
  })
})

test('a file whose name changes in upper and lower case alone is not removed after it was made', async () => {
  const named = (path: string) => {
    const notes = { inputs: `() => '${path}'`, generate: `() => [{ path: '${path}', contents: 'Hello' }]` }
    return withGenerators(CONFIG, `custom: [${generatorSource(notes)}]`)
  }
  const folder = createProject({ ...shopProject(), 'svc.config.ts': named('Routes.txt') })
  await generate(folder)
  writeFileSync(join(folder, 'after.config.ts'), named('routes.txt'))
  const { exitCode, stdout } = await generate(folder, ['--config', 'after.config.ts'])
  expect(exitCode).toBe(0)
  expect(stdout).not.toContain('removed')
  expect(generatedFiles(folder)['.svc/generated/notes/routes.txt']).toBe('Hello')
})

describe('--check', () => {
  test('runs every generator, whatever the cache says', async () => {
    const moody = generatorSource({ generate: "() => [{ path: 'notes.txt', contents: process.env.MOOD }]" })
    const folder = createProject({ ...shopProject(), 'svc.config.ts': withGenerators(CONFIG, `custom: [${moody}]`) })
    await generate(folder, [], { ...ENV, MOOD: 'sunny' })
    expect((await generate(folder, ['--check'], { ...ENV, MOOD: 'sunny' })).exitCode).toBe(0)
    const { exitCode, stderr } = await generate(folder, ['--check'], { ...ENV, MOOD: 'stormy' })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('.svc/generated/notes/notes.txt  is out of date.')
  })

  test('passes where every file is what the project makes now, and writes nothing, not even a cache', async () => {
    const folder = createProject(shopProject())
    await generate(folder)
    rmSync(join(folder, CACHE))
    const { exitCode } = await generate(folder, ['--check'])
    expect(exitCode).toBe(0)
    expect(Object.keys(generatedFiles(folder))).toEqual(BUILT_IN_FILES.toSorted())
  })

  // holds GEN-06
  test('fails with 1 and names each file that is missing or out of date', async () => {
    const folder = createProject(shopProject())
    await generate(folder)
    writeFileSync(join(folder, OPENAPI), '{}')
    rmSync(join(folder, ADP))
    const before = generatedFiles(folder)
    const { exitCode, stderr } = await generate(folder, ['--check'])

    expect(exitCode).toBe(1)
    expect(stderr).toMatch(new RegExp(`^ {2}${OPENAPI} +is out of date\\.$`, 'm'))
    expect(stderr).toMatch(new RegExp(`^ {2}${ADP} +is missing\\.$`, 'm'))
    expect(stderr).not.toContain(CAPABILITIES)
    expect(generatedFiles(folder)).toEqual(before)
  })
})

describe('files stay inside .svc/generated', () => {
  // holds GEN-04
  test.each([
    ['a generator’s folder', '.svc/generated/openapi'],
    ['a generated file', OPENAPI],
    ['the folder of all', '.svc/generated'],
  ])('%s that is a symbolic link out of it is refused, before anything is written', async (_name, path) => {
    const folder = createProject(shopProject())
    const elsewhere = createProject({ 'target.json': 'theirs' })
    mkdirSync(join(folder, path, '..'), { recursive: true })
    symlinkSync(path === OPENAPI ? join(elsewhere, 'target.json') : elsewhere, join(folder, path))
    const { exitCode, stderr } = await generate(folder)

    expect(exitCode).toBe(3)
    expect(stderr).toContain(`${path} is a symbolic link`)
    expect(readFileSync(join(elsewhere, 'target.json'), 'utf8')).toBe('theirs')
    expect(generatedFiles(elsewhere)).toEqual({})
    expect(Object.keys(generatedFiles(folder))).not.toContain(CAPABILITIES)
  })

  test('a link to another folder of the project is refused, too', async () => {
    const folder = createProject({ ...shopProject(), 'src/keep.txt': 'mine', '.svc/generated/keep.txt': 'mine' })
    symlinkSync(join(folder, 'src'), join(folder, '.svc/generated/openapi'))
    const { exitCode, stderr } = await generate(folder)
    expect(exitCode).toBe(3)
    expect(stderr).toContain('.svc/generated/openapi is a symbolic link')
    expect(readdirSync(join(folder, 'src'))).toEqual(['keep.txt'])
  })

  test('a cache that cannot be written is named, and the files are there', async () => {
    const folder = createProject({ ...shopProject(), [`${CACHE}/keep.txt`]: 'mine' })
    const { exitCode, stderr } = await generate(folder)
    expect(exitCode).toBe(3)
    expect(stderr).toContain(`${CACHE} cannot be written (EISDIR).`)
    expect(existsSync(join(folder, ADP))).toBe(true)
    expect(readdirSync(join(folder, '.svc')).sort()).toEqual(['generate.cache.json', 'generated', 'runtime.ts'])
  })

  test('what stands in the place of a file is named', async () => {
    const folder = createProject({ ...shopProject(), [`${ADP}/keep.txt`]: 'mine' })
    const { exitCode, stderr } = await generate(folder)
    expect(exitCode).toBe(3)
    expect(stderr).toContain(`${ADP} cannot be written: ${ADP} stands in its place.`)
  })
})
