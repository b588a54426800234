import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Import, ROOT, readSources, readTests, type SourceFile } from './support/source-tree.ts'

const sources = readSources()
const server = sources.filter(({ path }) => path.startsWith('packages/server/src/'))

/** Which packages of ours a package may use. */
const PACKAGE_ARROWS: Record<string, string[]> = {
  'packages/contract': [],
  'packages/sdk': ['@svc/contract'],
  'packages/cli': [
    '@svc/contract',
    '@svc/contract/linear-pattern',
    '@svc/contract/mcp-hosts',
    '@svc/contract/resolve-references',
    '@svc/sdk',
    '@svc/sdk/node',
    '@svc/sdk/testing',
  ],
  'packages/demo-model': ['@svc/contract'],
  'packages/server': [
    '@svc/contract',
    '@svc/contract/linear-pattern',
    '@svc/contract/mcp-hosts',
    '@svc/contract/resolve-references',
    '@svc/demo-model',
  ],
  'packages/widget': ['@svc/contract', '@svc/contract/reserved-output'],
  'packages/dashboard': [
    '@svc/contract',
    '@svc/contract/compare-deployments',
    '@svc/contract/mcp-hosts',
    '@svc/widget',
    '@svc/widget/react',
  ],
  'packages/testkit': ['@svc/contract'],
  lab: ['@svc/contract', '@svc/testkit'],
  'examples/kit': ['@svc/contract', '@svc/sdk'],
  'examples/shop': ['@svc/contract', '@svc/example-kit', '@svc/sdk', '@svc/sdk/node'],
  'examples/booking-desk': ['@svc/example-kit', '@svc/sdk', '@svc/sdk/node'],
  'examples/fastify-mcp': ['@svc/example-kit', '@svc/sdk', '@svc/sdk/fastify'],
  'examples/help-desk': ['@svc/example-kit', '@svc/sdk', '@svc/widget/element'],
}

/** Which folders of the SDK a folder of it may use besides itself; '' is what lies beside them. */
const SDK_ARROWS: Record<string, string[]> = {
  '': ['capabilities', 'calls', 'effects', 'nonces'],
  capabilities: ['', 'effects'],
  nonces: [''],
  effects: ['', 'nonces'],
  calls: ['', 'capabilities', 'effects', 'nonces'],
  adapters: ['calls'],
  testing: ['', 'calls', 'capabilities'],
}

/** The same of the tool: its commands, and below them what they share. */
const CLI_ARROWS: Record<string, string[]> = {
  '': [
    ...[
      'account',
      'deploy',
      'dev',
      'doctor',
      'generate',
      'init',
      'logs',
      'manifest',
      'mcp',
      'promote',
      'replay',
      'status',
      'test',
    ],
    'terminal',
  ],
  account: ['', 'terminal', 'control-plane', 'project'],
  deploy: ['', 'terminal', 'control-plane', 'project', 'generate'],
  dev: ['', 'terminal', 'control-plane', 'project'],
  doctor: ['', 'terminal', 'control-plane', 'project'],
  init: ['', 'terminal', 'control-plane', 'project'],
  logs: ['', 'terminal', 'control-plane', 'project'],
  manifest: ['', 'terminal', 'control-plane', 'project'],
  mcp: ['', 'terminal', 'control-plane', 'project'],
  promote: ['', 'terminal', 'control-plane', 'project'],
  replay: ['', 'terminal', 'control-plane', 'project'],
  status: ['', 'terminal', 'control-plane', 'project'],
  test: ['', 'terminal', 'control-plane', 'project'],
  generate: ['', 'terminal', 'control-plane', 'project'],
  project: ['', 'terminal'],
  'control-plane': ['', 'terminal'],
  terminal: [''],
}

/** The same of the widget; of the contract types and the bounds of outputs, since its schemas are larger than all of it. */
const WIDGET_ARROWS: Record<string, string[]> = {
  '': ['client', 'conversation', 'markdown', 'element'],
  client: [],
  conversation: ['client'],
  markdown: [],
  element: ['client', 'conversation', 'markdown'],
  'cards-page': ['client', 'conversation', 'element'],
  react: ['conversation'],
}

/** The same of the dashboard; a screen is a route, and what two screens share is `ui` or `api`. */
const DASHBOARD_ARROWS: Record<string, string[]> = {
  '': ['api', 'routes', 'ui'],
  api: [],
  ui: ['api'],
  charts: ['ui'],
  routes: ['api', 'ui', 'charts'],
}

const inServer = (pattern: RegExp) => (file: SourceFile) => pattern.test(file.path.slice('packages/server/src/'.length))
const isTransport = inServer(/^(http\/|app\.ts|server\.ts|main\.ts|.*routes\.ts$|.*\/answer-[a-z]+\.ts$)/)
const isStore = inServer(/^(store\/|.*store\.ts$)/)
const isEngine = inServer(/^(agent|dispatch|model)\//)
const isPure = inServer(/^(admission\/|agent\/|dispatch\/|model\/|.*rules\.ts$|usage\/(?!.*store\.ts$))/)

/** Programs that are started as such, and the few files that act for one. */
function isEntry(path: string): boolean {
  return /\/(main|admin|worker-main)\.ts$/.test(path) || TOUCHING_THE_PROCESS.includes(path)
}

const TOUCHING_THE_PROCESS = [
  // Hears Ctrl-C for as long as a command goes on.
  'packages/cli/src/until-interrupted.ts',
  // Hands an example’s surroundings to the programs that it starts.
  'examples/kit/src/control-plane/control-plane.ts',
  // Next.js calls files of its own choice: the environment is read by what they share.
  'examples/help-desk/src/help-desk.ts',
  // An example has no logger but stderr.
  'examples/shop/src/server.ts',
  // A test run looks at the machine once, and prints what it skipped.
  'packages/testkit/src/needs/setup.ts',
  'packages/testkit/src/needs/report-skipped.ts',
]

/** `file → what it uses` for every import that breaks a rule. */
function breaches(
  files: readonly SourceFile[],
  isForbidden: (specifier: string, target: string | null, isTypeOnly: boolean) => boolean,
) {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ specifier, target, isTypeOnly }) => isForbidden(specifier, target, isTypeOnly))
      .map(({ specifier }) => `${path} → ${specifier}`),
  )
}

/** `file` for every file whose text breaks a rule. */
function mentions(files: readonly Pick<SourceFile, 'path' | 'text'>[], pattern: RegExp): string[] {
  return files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
}

function packageOf(path: string): string {
  return path.startsWith('lab/') ? 'lab' : path.split('/').slice(0, 2).join('/')
}

describe('between packages', () => {
  test('every package is drawn, and uses only those that its arrows allow', () => {
    expect([...new Set(sources.map(({ path }) => packageOf(path)))].sort()).toEqual(Object.keys(PACKAGE_ARROWS).sort())
    const crossing = sources.flatMap((file) => {
      const allowed = PACKAGE_ARROWS[packageOf(file.path)] ?? []
      return breaches([file], (specifier) => specifier.startsWith('@svc/') && !allowed.includes(specifier))
    })
    expect(crossing).toEqual([])
  })

  test('what browsers load takes types and the bounds of outputs alone from the contract', () => {
    const pages = sources.filter(({ path }) => /^packages\/(widget|dashboard)\/src\//.test(path))
    expect(breaches(pages, (specifier, _, isTypeOnly) => specifier === '@svc/contract' && !isTypeOnly)).toEqual([])
  })

  test('what the dashboard takes of the contract as code brings no schemas along', () => {
    const compared = sources.filter(({ path }) => /^packages\/contract\/src\/(compare-|mcp-hosts)/.test(path))
    expect(compared.map(({ path }) => path)).toHaveLength(3)
    expect(breaches(compared, (specifier) => !specifier.startsWith('./compare-'))).toEqual([])
  })

  test('no file reaches into another package by its path', () => {
    const reaching = sources.flatMap((file) =>
      breaches([file], (_, target) => target !== null && packageOf(target) !== packageOf(file.path)),
    )
    expect(reaching).toEqual([])
  })

  test('the contract and the SDK’s core use no Node built-ins', () => {
    const portable = sources.filter(({ path }) => /^packages\/(contract|sdk)\/src\/(?!adapters\/)/.test(path))
    expect(breaches(portable, (specifier) => specifier.startsWith('node:'))).toEqual([])
  })
})

describe.each([
  ['packages/sdk/src/', SDK_ARROWS],
  ['packages/cli/src/', CLI_ARROWS],
  ['packages/widget/src/', WIDGET_ARROWS],
  ['packages/dashboard/src/', DASHBOARD_ARROWS],
])('within %s', (root, arrows) => {
  const files = sources.filter(({ path }) => path.startsWith(root))
  const folderOf = (path: string) => /^([^/]+)\//.exec(path.slice(root.length))?.[1] ?? ''

  test('every folder is drawn, and uses only those that its arrows allow', () => {
    expect([...new Set(files.map(({ path }) => folderOf(path)))].sort()).toEqual(Object.keys(arrows).sort())
    const crossing = files.flatMap((file) => {
      const allowed = [folderOf(file.path), ...(arrows[folderOf(file.path)] ?? [])]
      return breaches([file], (_, target) => target !== null && !allowed.includes(folderOf(target)))
    })
    expect(crossing).toEqual([])
  })
})

describe('within the tool', () => {
  const tool = sources.filter(({ path }) => path.startsWith('packages/cli/src/'))

  test('commands are known to the one file that lists them, and loaded only when they are called', () => {
    const isCommand = (target: string | null) => target?.endsWith('-command.ts') ?? false
    const others = tool.filter(({ path }) => !path.endsWith('/run-cli.ts'))
    expect(breaches(others, (_, target) => isCommand(target) && !target?.endsWith('/src/help-command.ts'))).toEqual([])
    const lists = tool.filter(({ path }) => path.endsWith('/run-cli.ts'))
    const isInFolder = (target: string | null) =>
      /\/(deploy|dev|doctor|generate|init|logs|manifest|replay|status|test)\//.test(target ?? '')
    expect(breaches(lists, (_, target) => isInFolder(target) && !isCommand(target))).toEqual([])
  })
})

describe('within the server', () => {
  test('Fastify is known to the HTTP layer alone', () => {
    expect(
      breaches(
        server.filter((file) => !isTransport(file)),
        (specifier) => specifier.startsWith('fastify'),
      ),
    ).toEqual([])
  })

  test('SQL is written in stores alone', () => {
    const others = server.filter((file) => !isStore(file) && !file.path.endsWith('/deps.ts'))
    expect(breaches(others, (specifier) => specifier === 'kysely')).toEqual([])
  })

  test('stores know no use case, no engine and no HTTP', () => {
    const stores = server.filter((file) => isStore(file) && !file.path.includes('/store/'))
    const isAllowed = (target: string) =>
      /(store|rules|storage-budget|transaction|schema|page|recordset|rows|prepared-client|driver)\.ts$|rules\.js$/.test(
        target,
      )
    expect(breaches(stores, (_, target) => target !== null && !isAllowed(target))).toEqual([])
  })

  test('the engines and the rules know no HTTP server, no database and no use case', () => {
    const isOutside = (target: string) =>
      /^packages\/server\/src\/(http|store|accounts|projects|credentials|runtimes|deployments|executions)\/(?!.*rules\.ts$)/.test(
        target,
      )
    const pure = server.filter(
      (file) => isPure(file) && (isEngine(file) || !/(runtimes|deployments)\/rules\.ts$/.test(file.path)),
    )
    expect(
      breaches(
        pure,
        (specifier, target) =>
          specifier === 'kysely' || specifier.startsWith('fastify') || (target !== null && isOutside(target)),
      ),
    ).toEqual([])
    const rules = server.filter(({ path }) => path.endsWith('rules.ts'))
    expect(
      breaches(rules, (_, target) => target !== null && /(store\.ts$|routes|\/http\/|\/store\/)/.test(target)),
    ).toEqual([])
  })

  test('routes go through use cases, never straight to a store', () => {
    const routes = server.filter(({ path }) => /routes\.ts$|answer-[a-z]+\.ts$/.test(path))
    expect(breaches(routes, (_, target) => target !== null && /store\.ts$|\/store\//.test(target))).toEqual([])
  })

  test('use cases do not know their routes', () => {
    expect(
      breaches(
        server.filter((file) => !isTransport(file)),
        (_, target) => target !== null && /routes\.ts$/.test(target),
      ),
    ).toEqual([])
  })

  // holds STR-12
  test('only the dispatcher, the model’s post and replicas among each other speak HTTP to the outside, and its fetch is handed in at one place', () => {
    const others = server.filter(
      (file) => !inServer(/^(dispatch\/|model\/chat-completions\/post\.ts$|streams\/peers\.ts$)/)(file),
    )
    const isClient = (specifier: string, isTypeOnly: boolean) =>
      !isTypeOnly &&
      ['undici', 'node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'axios', 'got'].includes(specifier)
    expect(breaches(others, (specifier, _, isTypeOnly) => isClient(specifier, isTypeOnly))).toEqual([])
    const uses = /(?<![.\w'])fetch\(|(?<!typeof )globalThis\.fetch/
    expect(mentions(others, uses)).toEqual(['packages/server/src/model/open-model.ts'])
  })

  test('Stripe is known to its own adapter alone', () => {
    const others = server.filter((file) => !inServer(/^billing\/payments\/stripe-payments\.ts$/)(file))
    expect(breaches(others, (specifier) => specifier === 'stripe' || specifier.startsWith('stripe/'))).toEqual([])
  })

  test('the mail library is known to one file, which is loaded only where mail is configured', () => {
    const knowing = server.filter(({ imports }) => imports.some(({ specifier }) => specifier.startsWith('nodemailer')))
    expect(knowing.map(({ path }) => path)).toEqual(['packages/server/src/mail/smtp-transport.ts'])
    expect(mentions(server, /^import (?!type).*smtp-transport\.ts'/m)).toEqual([])
  })

  test('prom-client and OpenTelemetry are known to one file each, which are loaded only where they are configured', () => {
    const isLibrary = (specifier: string) => specifier === 'prom-client' || specifier.startsWith('@opentelemetry/')
    const knowing = server.filter(({ imports }) => imports.some(({ specifier }) => isLibrary(specifier)))
    const libraries = ['telemetry/otlp-tracer.ts', 'telemetry/prometheus-metrics.ts']
    expect(knowing.map(({ path }) => path.slice('packages/server/src/'.length)).sort()).toEqual(libraries)
    const isStatic = /^import (?!type).*(prometheus-metrics|otlp-tracer)\.ts'/m
    expect(mentions(server, isStatic)).toEqual([])
  })

  test('the demo model is loaded by name, and by the one file that puts it behind the port', () => {
    expect(mentions(server, /'@svc\/demo-model'/)).toEqual(['packages/server/src/model/demo-model.ts'])
    expect(mentions(server, /^import .*'@svc\/demo-model'/m)).toEqual([])
  })

  test('what the service tells of itself knows no database, no HTTP server and no use case', () => {
    const files = server.filter(inServer(/^(telemetry|admission)\//))
    const isOwn = (target: string) =>
      /\/(telemetry|admission|lib)\/[a-z-]+\.ts$|\/usage\/(quota-rules|tiers|token-bucket)\.(ts|js)$/.test(target)
    expect(files.length).toBeGreaterThan(8)
    expect(
      breaches(files, (specifier, target) => specifier === 'kysely' || (target !== null && !isOwn(target))),
    ).toEqual([])
  })

  test('payment providers know no database and no use case, and which one there is is decided at the start alone', () => {
    const payments = server.filter(inServer(/^billing\/payments\//))
    const isOwn = (target: string) => /\/(billing\/payments\/[a-z-]+|lib\/clock|secrets\/secret)\.ts$/.test(target)
    expect(breaches(payments, (_, target) => target !== null && !isOwn(target))).toEqual([])
    const others = server.filter((file) => !inServer(/^billing\/payments\/|^open-parts\.ts$/)(file))
    const isChoice = (target: string | null) => /open-payments\.ts$/.test(target ?? '')
    expect(breaches(others, (_, target) => isChoice(target))).toEqual([])
  })

  // holds ERR-13
  test('no answer is coded execution_error, which stays reserved', () => {
    expect(mentions(server, /execution_error/)).toEqual([])
  })

  test('an end-user token is revealed by the dispatcher alone', () => {
    expect(
      mentions(
        server.filter((file) => !inServer(/^dispatch\//)(file)),
        /[tT]oken\??\.reveal\(/,
      ),
    ).toEqual([])
  })
})

describe('everywhere', () => {
  test('the process and its environment are touched by the entry points, and by the files that are named', () => {
    const touching = sources.filter(({ touchesProcess, path }) => touchesProcess && !isEntry(path))
    expect(touching.map(({ path }) => path)).toEqual([])
  })

  test('no import leads round in a circle; in the server none of a type does either', () => {
    expect(circles(sources, ({ isTypeOnly }) => !isTypeOnly)).toEqual([])
    expect(circles(server, () => true)).toEqual([])
  })

  test('no file re-exports but the index of an entry point', () => {
    const isReexport = /^export (\*|(type )?\{[^}]*\}) from /m
    const barrels = mentions(
      sources.filter(({ path }) => !indexes().includes(path)),
      isReexport,
    )
    expect(barrels).toEqual([])
    expect(mentions(sources, /^export \* from/m)).toEqual([])
  })

  test('relative imports name their file', () => {
    expect(
      breaches(sources, (specifier) => specifier.startsWith('.') && !/\.(ts|tsx|js|css)$/.test(specifier)),
    ).toEqual([])
  })

  test('files end at 400 lines, and half of them are below 100', () => {
    const written = sources.filter(({ path }) => !path.endsWith('.gen.ts'))
    expect(written.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
    const lengths = sources.map(({ lines }) => lines).sort((a, b) => a - b)
    expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThan(100)
  })

  test('tests ask one helper for what is not on every machine, and look for nothing themselves', () => {
    const looking =
      /127\.0\.0\.1:(5432|6379)|\/usr\/(s?bin|lib)\/|env(\.CI\b|\['CI'\]|\['PATH'\]\.split)|command -v|userInfo\(\)\.uid|\.(skipIf|runIf)\(/
    const own = ['test/architecture.test.ts', 'test/needs.test.ts']
    const tests = readTests().filter(({ path }) => !own.includes(path))
    expect(tests.length).toBeGreaterThan(300)
    expect(mentions(tests, looking)).toEqual([])
  })

  test('no check is switched off in what ships', () => {
    expect(mentions(sources, /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable|TODO|FIXME/)).toEqual([])
  })
})

/** The index files that packages name as their entry points. */
function indexes(): string[] {
  const Manifest = z.object({ exports: z.record(z.string(), z.unknown()).default({}) })
  return Object.keys(PACKAGE_ARROWS).flatMap((folder) => {
    const { exports } = Manifest.parse(JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')))
    const files = Object.values(exports).map((entry) => z.object({ '@svc/source': z.string() }).safeParse(entry))
    return files.flatMap(({ data }) =>
      data?.['@svc/source'].endsWith('/index.ts') ? [join(folder, data['@svc/source'])] : [],
    )
  })
}

function circles(files: readonly SourceFile[], counts: (used: Import) => boolean): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const finished = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
      return
    }
    if (finished.has(path)) return
    for (const used of byPath.get(path)?.imports ?? []) {
      if (used.target && counts(used)) visit(used.target, [...trail, path])
    }
    finished.add(path)
  }
  for (const { path } of files) visit(path, [])
  return found
}
