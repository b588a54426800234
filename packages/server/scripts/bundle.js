import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL('../', import.meta.url))
const outdir = `${folder}dist/bundle`
// Packages that are found by their path at run time: a native addon, and those that read files of their own.
const EXTERNAL = ['better-sqlite3', 'pg-native', '@fastify/swagger-ui', '@svc/dashboard', '@svc/widget']
// CommonJS inside an ES module needs these three.
const COMMONJS = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)
const __filename = import.meta.filename ?? new URL(import.meta.url).pathname
const __dirname = __filename.slice(0, __filename.lastIndexOf('/'))`

// Programs and the threads that they start; those look for their files beside the code that starts them.
rmSync(outdir, { recursive: true, force: true })
await build({
  entryPoints: [
    'main.ts',
    'admin.ts',
    'store/sqlite/sqlite-worker.js',
    'schemas/schema-worker.ts',
    'dispatch/answer-worker.ts',
  ].map((path) => `${folder}src/${path}`),
  entryNames: '[name]',
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['@svc/source'],
  external: EXTERNAL,
  banner: { js: COMMONJS },
  legalComments: 'none',
  logLevel: 'warning',
})
