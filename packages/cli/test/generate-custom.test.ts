import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startControlPlane } from './support/fake-control-plane.ts'
import { BUILT_IN_FILES, CACHE, generatedFiles, generatorSource, withGenerators } from './support/generated.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { CONFIG, createProject, shopProject } from './support/project.ts'
import { type Outcome, runSvc } from './support/run-svc.ts'

const ENV = { SVC_BASE_URL: 'https://svc.example.com', SVC_RUNTIME_ID: 'rt_exampleShop' }
const NOTES = '.svc/generated/notes/notes.txt'

/** A project whose custom generators are these. */
function projectWith(...generators: string[]): string {
  const config = withGenerators(CONFIG, `custom: [${generators.join(', ')}]`)
  return createProject({ ...shopProject(), 'svc.config.ts': config })
}

function generate(folder: string, args: readonly string[] = []): Promise<Outcome> {
  return runSvc(folder, ['generate', ...args], { env: ENV })
}

/** Runs the generator, which must fail: with 3, named, and before anything was written. */
async function failureOf(fields: Parameters<typeof generatorSource>[0]): Promise<string> {
  const folder = projectWith(generatorSource(fields))
  const { exitCode, stderr } = await generate(folder)
  expect(exitCode).toBe(3)
  expect(stderr).toContain(`generator “${fields.name ?? 'notes'}”`)
  expect(generatedFiles(folder)).toEqual({})
  return stderr
}

describe('a generator of the project’s own', () => {
  // holds CFG-09
  test('runs after the built-in ones, in the order of the list, and writes into the folder of its name', async () => {
    const folder = projectWith(
      generatorSource({ name: 'second', generate: "() => [{ path: 'deep/er.txt', contents: 'ä' }]" }),
      generatorSource({ name: 'First', generate: '() => []' }),
    )
    const { stdout } = await generate(folder, ['--json'])

    const { generators }: { generators: { name: string }[] } = JSON.parse(stdout)
    expect(generators.map(({ name }) => name)).toEqual([
      'capability-manifest',
      'runtime-manifest',
      'openapi',
      'adp',
      'test-types',
      'second',
      'First',
    ])
    expect(generatedFiles(folder)['.svc/generated/second/deep/er.txt']).toBe('ä')
  })

  test('is given what would be deployed, the runtime, the address and the versions, and no key', async () => {
    const folder = projectWith(
      generatorSource({ generate: "(context) => [{ path: 'notes.txt', contents: JSON.stringify(context) }]" }),
    )
    await runSvc(folder, ['generate'], { env: { ...ENV, SVC_API_KEY: DEPLOY_KEY } })

    const text = generatedFiles(folder)[NOTES] ?? ''
    expect(JSON.parse(text)).toEqual({
      capabilities: [expect.objectContaining({ name: 'order-status' }), expect.objectContaining({ name: 'refund' })],
      manifest: expect.objectContaining({ schemaVersion: 2, agent: { instructions: 'Be brief.' } }),
      runtimeId: 'rt_exampleShop',
      runtimeName: null,
      baseUrl: 'https://svc.example.com',
      cliVersion: expect.stringMatching(/^\d/),
      sdkVersion: expect.stringMatching(/^\d/),
    })
    expect(text).not.toContain(DEPLOY_KEY)
  })

  test('may be a class, may take its time in both of its functions, and may leave inputs unset', async () => {
    const folder = projectWith(`new (class {
      name = 'notes'
      text = 'late'
      inputs = async () => ({ text: this.text, unset: undefined })
      async generate() { return [{ path: 'notes.txt', contents: this.text }] }
    })()`)
    expect((await generate(folder)).exitCode).toBe(0)
    expect(generatedFiles(folder)[NOTES]).toBe('late')
  })

  // holds GEN-05
  test('is not called again while its inputs stay the same, whatever else of the project changes', async () => {
    const notes = generatorSource({
      inputs: '({ manifest }) => manifest.website',
      generate: "({ capabilities }) => [{ path: 'notes.txt', contents: String(capabilities.length) }]",
    })
    const config = withGenerators(CONFIG, `custom: [${notes}]`)
    const folder = createProject({
      ...shopProject(['one', 'two']),
      'svc.config.ts': config,
      'fewer.config.ts': config.replace('agent:', "runtime: './fewer.ts',\n  agent:"),
      'fewer.ts': shopProject(['one'])['.svc/runtime.ts'] ?? '',
      'renamed.config.ts': config
        .replace('Example Shop', 'Other Shop')
        .replace('agent:', "runtime: './fewer.ts',\n  agent:"),
    })
    await generate(folder)
    await generate(folder, ['--config', 'fewer.config.ts'])
    expect(generatedFiles(folder)[NOTES]).toBe('2')
    await generate(folder, ['--config', 'renamed.config.ts'])
    expect(generatedFiles(folder)[NOTES]).toBe('1')
  })

  test('is called again once its generate() is written otherwise', async () => {
    const config = withGenerators(CONFIG, `custom: [${generatorSource({})}]`)
    const edited = config.replace("contents: 'Hello'", "contents: 'Hallo'")
    const folder = createProject({ ...shopProject(), 'svc.config.ts': config, 'edited.config.ts': edited })
    await generate(folder)
    expect(generatedFiles(folder)[NOTES]).toBe('Hello')
    await generate(folder, ['--config', 'edited.config.ts'])
    expect(generatedFiles(folder)[NOTES]).toBe('Hallo')
  })

  test('that makes fewer files than before has the others removed, with the folders that they leave empty', async () => {
    const make = (files: string) =>
      generatorSource({ inputs: `() => ${JSON.stringify(files)}`, generate: `() => ${files}` })
    const both = "[{ path: 'a.txt', contents: '' }, { path: 'old/b.txt', contents: '' }]"
    const one = "[{ path: 'a.txt', contents: '' }]"
    const folder = createProject({
      ...shopProject(),
      'svc.config.ts': withGenerators(CONFIG, `custom: [${make(both)}]`),
      'fewer.config.ts': withGenerators(CONFIG, `custom: [${make(one)}]`),
    })
    await generate(folder)
    const { stdout } = await generate(folder, ['--config', 'fewer.config.ts'])

    expect(stdout).toMatch(/^ {2}notes +unchanged +\.svc\/generated\/notes\/a\.txt$/m)
    expect(stdout).toMatch(/^ {2}notes +removed +\.svc\/generated\/notes\/old\/b\.txt$/m)
    expect(existsSync(join(folder, '.svc/generated/notes/old'))).toBe(false)
    expect(Object.keys(generatedFiles(folder))).toEqual([CACHE, ...BUILT_IN_FILES, '.svc/generated/notes/a.txt'].sort())
  })

  test('cannot change what is deployed', async () => {
    const stderr = await failureOf({ generate: "({ manifest }) => { manifest.capabilities[0].name = 'other' }" })
    expect(stderr).toContain('read only')
  })
})

describe('a generator that fails is named, and nothing is written', () => {
  test('when generate() throws: with its message and the line', async () => {
    const stderr = await failureOf({ generate: "() => { throw new Error('no template') }" })
    expect(stderr).toMatch(
      /✖ generate\(\) of the generator “notes” failed\.\n {2}no template\n {2}at svc\.config\.ts:\d+/,
    )
  })

  test('when inputs() is refused', async () => {
    const stderr = await failureOf({ inputs: "() => Promise.reject(new Error('no file'))" })
    expect(stderr).toMatch(/✖ inputs\(\) of the generator “notes” failed\.\n {2}no file\n/)
  })

  // holds GEN-05
  test.each([
    ['nothing', 'undefined', 'the value is undefined'],
    ['a function', '{ a: [{ b: () => 1 }] }', 'a.0.b is a function'],
    ['a map, whose changes would go unnoticed', '{ seen: new Map() }', 'seen is a Map'],
    ['a bigint', '[1n]', '0 is a bigint'],
    ['no number', '{ n: NaN }', 'n is NaN'],
    ['a circle', '(() => { const a = {}; a.self = a; return a })()', 'self is a reference to itself'],
  ])('when inputs() returns %s', async (_name, inputs, problem) => {
    expect(await failureOf({ inputs: `() => (${inputs})` })).toContain(problem)
  })

  // holds GEN-04
  test.each([
    [
      'no list',
      "{ path: 'a', contents: '' }",
      'generate()',
      '[{ path, contents }], and returned an object with the fields path, contents.',
    ],
    ['nothing', 'undefined', 'generate()', 'must return a list of files, [{ path, contents }], and returned nothing.'],
    ['something that is no file', "['a.txt']", 'file 1', 'must be a file, { path, contents }, and is a string.'],
    [
      'contents that are no text',
      "[{ path: 'a.txt', contents: {} }]",
      'file 1 "a.txt"',
      'contents must be a text, and is an object',
    ],
    ['no path', "[{ contents: '' }]", 'file 1', 'path must be a text, such as "names.txt", and is missing.'],
    ['an empty path', "[{ path: '', contents: '' }]", 'file 1 ""', 'is empty'],
    ['an absolute path', "[{ path: '/etc/cron.d/x', contents: '' }]", 'file 1 "/etc/cron.d/x"', 'is absolute'],
    ['a path on a drive', "[{ path: 'C:/x', contents: '' }]", 'file 1 "C:/x"', 'is absolute'],
    ['a path that leads out', "[{ path: 'a/../../x', contents: '' }]", 'file 1 "a/../../x"', 'leads out'],
    ['a backslash', String.raw`[{ path: 'a\\..\\x', contents: '' }]`, 'file 1', 'contains a backslash'],
    ['a NUL', String.raw`[{ path: 'a\0.txt', contents: '' }]`, 'file 1', 'contains a character'],
    ['a device of Windows', "[{ path: 'a/Con.json', contents: '' }]", 'file 1 "a/Con.json"', 'names a device'],
    ['an empty part', "[{ path: 'a//b', contents: '' }]", 'file 1 "a//b"', 'has an empty part'],
    ['a part that ends in a dot', "[{ path: 'a./b', contents: '' }]", 'file 1 "a./b"', 'ends in a dot'],
    [
      'two paths that are one file where case is not told apart',
      "[{ path: 'A/b.txt', contents: '' }, { path: 'a/B.txt', contents: '' }]",
      'file 2 "a/B.txt"',
      'is the place of “A/b.txt” already',
    ],
    [
      'a file where another one’s folder is',
      "[{ path: 'a/b', contents: '' }, { path: 'a', contents: '' }]",
      'file 2 "a"',
      'would stand where the folder of “a/b” is',
    ],
    [
      'a file within another file',
      "[{ path: 'a', contents: '' }, { path: 'a/b', contents: '' }]",
      'file 2 "a/b"',
      'would lie inside the file “a”',
    ],
    ['too much', "[{ path: 'a', contents: 'x'.repeat(17 * 1024 * 1024) }]", 'generate()', 'more than 16 MiB'],
    [
      'too many files',
      '[...Array(1001).keys()].map((n) => ({ path: String(n), contents: "" }))',
      'generate()',
      '1000 files',
    ],
  ])('when generate() returns %s', async (_name, output, place, problem) => {
    const stderr = await failureOf({ generate: `() => (${output})` })
    const line = stderr.split('\n').find((text) => text.startsWith(`  ${place}`))
    expect(line).toContain(problem)
  })

  // holds CLI-02
  test('before a further generator runs, and before anything is sent', async () => {
    const controlPlane = await startControlPlane({})
    const folder = projectWith(
      generatorSource({ name: 'broken', generate: "() => { throw new Error('no template') }" }),
      generatorSource({ name: 'after', generate: "() => { throw new Error('never called') }" }),
    )
    const { exitCode, stderr } = await runSvc(folder, ['deploy'], { env: controlPlane.env(DEPLOY_KEY) })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('no template')
    expect(stderr).not.toContain('never called')
    expect(controlPlane.requests).toEqual([])
    expect(generatedFiles(folder)).toEqual({})
  })
})

// holds CFG-09
test.each([
  [
    'a name that is taken, in other letters',
    generatorSource({ name: 'OpenAPI' }),
    'is the name of a built-in generator',
  ],
  ['a value that is no generator', "{ name: 'notes' }", 'inputs() and generate() are missing'],
])('%s is refused when the configuration is loaded, and no generator runs', async (_name, source, problem) => {
  const { exitCode, stderr } = await generate(
    projectWith(generatorSource({ name: 'early', inputs: "() => { throw new Error('was called') }" }), source),
  )
  expect(exitCode).toBe(3)
  expect(stderr).toContain('generators.custom.1')
  expect(stderr).toContain(problem)
  expect(stderr).not.toContain('was called')
})
