import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { scratchFolder } from './support/sample-folder.ts'
import { ROOT } from './support/source-tree.ts'

const run = promisify(execFile)
const NAMES = ['contract', 'sdk', 'cli', 'widget'] as const
const ATTW = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/profiles.js')

const Manifest = z.object({
  version: z.string(),
  exports: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])),
  bin: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()).default({}),
})
const Packed = z.array(
  z.object({ name: z.string(), filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
)

/** A project with the packages as npm would unpack them, outside the workspace. */
const project = scratchFolder(afterAll)
const installed = (name: string, ...path: string[]) => join(project, 'node_modules/@svc', name, ...path)
const files = new Map<string, string[]>()

beforeAll(async () => {
  await installAll()
  for (const dependency of thirdParties()) link(dependency)
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
}, 240_000)

/** Packs the packages, unpacks them into the project, and keeps the paths of what was in each. */
async function installAll(): Promise<void> {
  const workspaces = NAMES.flatMap((name) => ['--workspace', `packages/${name}`])
  const pack = ['pack', '--json', '--ignore-scripts', '--offline', '--pack-destination', project, ...workspaces]
  const { stdout } = await run('npm', pack, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })
  const packed = new Map(Packed.parse(JSON.parse(stdout)).map((each) => [each.name, each]))
  for (const name of NAMES) {
    const { filename = '', files: packedFiles = [] } = packed.get(`@svc/${name}`) ?? {}
    mkdirSync(installed(name), { recursive: true })
    await run('tar', ['-xzf', join(project, filename), '--strip-components=1', '-C', installed(name)])
    files.set(
      name,
      packedFiles.map(({ path }) => path),
    )
  }
}

function manifestOf(name: string): z.infer<typeof Manifest> {
  return Manifest.parse(JSON.parse(readFileSync(installed(name, 'package.json'), 'utf8')))
}

function thirdParties(): Set<string> {
  const names = NAMES.map(manifestOf).flatMap((manifest) =>
    Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  )
  return new Set([...names.filter((name) => !name.startsWith('@svc/')), '@types/node'])
}

function link(dependency: string): void {
  const place = join(project, 'node_modules', dependency)
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules', dependency), place)
}

describe.each(NAMES)('@svc/%s as it is published', (name) => {
  const has = (path: string) => (files.get(name) ?? []).includes(path)

  test('holds what was built, its README and the licence, and no tests', () => {
    const { exports, bin } = manifestOf(name)
    const named = [...Object.values(exports), ...Object.values(bin)].flatMap((entry) =>
      typeof entry === 'string' ? [entry] : Object.values(entry),
    )
    const expected = [...named.map((path) => path.replace('./', '')), 'README.md', 'LICENSE', 'package.json']
    expect(expected.filter((path) => !has(path))).toEqual([])
    const strays = (files.get(name) ?? []).filter((path) =>
      /(^|\/)\.|\.test\.|^test\/|tsbuildinfo|tsconfig.*\.json$/.test(path),
    )
    expect(strays).toEqual([])
    expect(readFileSync(installed(name, 'LICENSE'))).toEqual(readFileSync(join(ROOT, 'LICENSE')))
  })

  test('holds no built file whose source is gone', () => {
    const built = (files.get(name) ?? []).filter((path) => path.startsWith('dist/'))
    expect(built.length).toBeGreaterThan(10)
    const source = (path: string) => path.replace(/^dist\//, 'src/').replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts')
    // The widget’s one script is made of many.
    const made = built.filter((path) => path !== 'dist/widget.js')
    const left = made.filter((path) => !existsSync(join(ROOT, 'packages', name, source(path))))
    expect(left, 'remove dist/ and build again').toEqual([])
  })

  test('has a README whose links lead somewhere where there is no repository around it', () => {
    const links = [...readFileSync(installed(name, 'README.md'), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
    expect(links.map(([, path = '']) => path).filter((path) => !has(path.replace(/^\.\//, '')))).toEqual([])
  })

  test('names no path of the machine that built it', () => {
    const telling = (files.get(name) ?? []).filter((path) => readFileSync(installed(name, path), 'utf8').includes(ROOT))
    expect(telling).toEqual([])
  })

  test('asks for the other packages in the very version that they have', () => {
    const { dependencies } = manifestOf(name)
    const ours = Object.entries(dependencies).filter(([dependency]) => dependency.startsWith('@svc/'))
    expect(ours).toEqual(ours.map(([dependency]) => [dependency, manifestOf(dependency.slice('@svc/'.length)).version]))
  })

  test('is clean to publint', async () => {
    const pkgDir = installed(name)
    const { messages, pkg } = await publint({ pkgDir, strict: true, pack: false })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })

  test('has types that resolve as the code does', async () => {
    resolutions ??= resolveTypes()
    expect((await resolutions)[name]).toEqual({ hasTypes: true, problems: [] })
  }, 240_000)
})

const Resolutions = z.record(z.string(), z.object({ hasTypes: z.boolean(), problems: z.array(z.unknown()) }))
let resolutions: Promise<z.infer<typeof Resolutions>> | undefined

/** The findings of “are the types wrong” for each package that is for ES modules alone. One process loads TypeScript once. */
async function resolveTypes(): Promise<z.infer<typeof Resolutions>> {
  const tarballs = NAMES.map((name) => [name, readdirSync(project).find((file) => file.startsWith(`svc-${name}-`))])
  const script = `
    import { readFileSync } from 'node:fs'
    import { createRequire } from 'node:module'
    import { profiles } from ${JSON.stringify(ATTW)}
    const core = createRequire(${JSON.stringify(ATTW)}).resolve('@arethetypeswrong/core')
    const { checkPackage, createPackageFromTarballData } = await import(core)
    const ignored = profiles['esm-only'].ignoreResolutions
    const found = {}
    for (const [name, tarball] of ${JSON.stringify(tarballs)}) {
      const { types, problems = [] } = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))))
      found[name] = { hasTypes: Boolean(types), problems: problems.filter((one) => !ignored.includes(one.resolutionKind)) }
    }
    console.log(JSON.stringify(found))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: project })
  return Resolutions.parse(JSON.parse(stdout))
}

describe('an install from the packed packages', () => {
  const entries = () =>
    NAMES.flatMap((name) => Object.keys(manifestOf(name).exports).map((path) => `@svc/${name}${path.slice(1)}`))

  test('every entry point can be imported, and gives something', async () => {
    const script = `const counts = {}
      for (const entry of ${JSON.stringify(entries())}) {
        const options = entry.endsWith('.json') ? { with: { type: 'json' } } : {}
        counts[entry] = Object.keys(await import(entry, options)).length
      }
      console.log(JSON.stringify(counts))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd: project })
    const counts = z.record(z.string(), z.number()).parse(JSON.parse(stdout))
    expect(Object.keys(counts).length).toBeGreaterThanOrEqual(11)
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([])
  })

  test('the tool starts, and tells its version', async () => {
    const { stdout } = await run(process.execPath, [installed('cli', 'bin/svc.js'), '--version'], { cwd: project })
    expect(stdout.trim()).toBe(manifestOf('cli').version)
  })

  test('a strict project type-checks against every entry point, in both ways that modules are resolved', () => {
    writeFileSync(join(project, 'shop.ts'), shopSource(entries().filter((entry) => !entry.endsWith('.json'))))
    const common = {
      strict: true,
      exactOptionalPropertyTypes: true,
      target: 'es2023',
      declaration: true,
    }
    const node = { ...common, lib: ['es2023'], types: ['node'], skipLibCheck: true }
    expect(typeErrors({ ...node, module: 'nodenext' })).toBe('')
    expect(typeErrors({ ...node, module: 'esnext', moduleResolution: 'bundler' })).toBe('')
  }, 240_000)

  test('the core’s types need none of Node’s', () => {
    writeFileSync(join(project, 'shop.ts'), shopSource(['@svc/sdk', '@svc/sdk/testing', '@svc/contract']))
    const worker = {
      strict: true,
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      types: [],
      skipLibCheck: false,
      skipDefaultLibCheck: true,
    }
    expect(typeErrors({ ...worker, module: 'esnext', moduleResolution: 'bundler' })).toBe('')
  }, 240_000)
})

/** A module that imports all entries, and publishes what it made: its types have to be nameable from outside. */
function shopSource(entries: readonly string[]): string {
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const adapters = entries.flatMap((entry) => ADAPTER_USES[entry] ?? [])
  return `${imports.join('\n')}
import { createHandler, defineCapability, defineRuntime } from '@svc/sdk'
export const used = [${entries.map((_, index) => `Object.keys(entry${index})`).join(', ')}]
export const price = defineCapability({
  name: 'price',
  version: '1.0.0',
  input: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
  handler: ({ sku }, { signal }) => ({ cents: signal.aborted ? 0 : sku.length }),
})
export const handler = createHandler({ runtime: defineRuntime({ capabilities: [price] }), runtimeId: 'rt_shop0001', secret: 's' })
${adapters.join('\n')}
`
}

const ADAPTER_USES: Record<string, string> = {
  '@svc/sdk/node': "import { toNodeListener } from '@svc/sdk/node'\nexport const listener = toNodeListener(handler)",
  '@svc/sdk/express':
    "import { toExpressHandler } from '@svc/sdk/express'\nexport const middleware = toExpressHandler(handler)",
  '@svc/sdk/lambda':
    "import { toLambdaHandler } from '@svc/sdk/lambda'\nexport const lambda = toLambdaHandler(handler)",
}

// The language’s own declarations, which every program reads.
const libraries = new Map<string, ts.SourceFile | undefined>()

/** What the compiler says of the project; empty where it finds nothing. */
function typeErrors(compilerOptions: Record<string, unknown>): string {
  const { options, errors } = ts.convertCompilerOptionsFromJson(compilerOptions, project)
  const host = ts.createCompilerHost(options)
  const parse = host.getSourceFile.bind(host)
  host.getCurrentDirectory = () => project
  host.getSourceFile = (path, ...rest) => {
    if (!/typescript\/lib\/lib[^/]*\.d\.ts$/.test(path)) return parse(path, ...rest)
    if (!libraries.has(path)) libraries.set(path, parse(path, ...rest))
    return libraries.get(path)
  }
  const program = ts.createProgram([join(project, 'shop.ts')], options, host)
  return ts.formatDiagnostics([...errors, ...ts.getPreEmitDiagnostics(program)], host)
}
