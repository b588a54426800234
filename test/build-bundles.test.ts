import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'

// Each build starts npm.
vi.setConfig({ testTimeout: 60_000 })

const SCRIPT = fileURLToPath(new URL('../scripts/build-bundles.js', import.meta.url))
const LONG_AGO = new Date('2020-01-01')
const PACKAGES = ['packages/server', 'packages/widget', 'packages/dashboard']

let root = ''

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-build-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const folder of [
    'scripts',
    'packages/contract/src',
    'packages/demo-model/src',
    ...PACKAGES.map((path) => `${path}/src/parts`),
  ]) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  copyFileSync(SCRIPT, join(root, 'scripts/build-bundles.js'))
  write('package.json', JSON.stringify({ private: true, type: 'module', workspaces: ['packages/*'] }))
  for (const path of ['package-lock.json', 'tsconfig.base.json', 'packages/contract/src/index.ts']) write(path, '')
  for (const path of PACKAGES) {
    mkdirSync(join(root, path, 'dist'))
    // The bundler is counted, and may be told to save a source once it has been read.
    const build = `node -e "require('fs').appendFileSync('dist/builds','x')" && node before-end.cjs`
    write(`${path}/package.json`, JSON.stringify({ name: path.split('/')[1], version: '1.0.0', scripts: { build } }))
    write(`${path}/before-end.cjs`, '')
    write(`${path}/src/parts/one.ts`, '')
  }
  for (const path of folders()) utimesSync(join(root, path), LONG_AGO, LONG_AGO)
})

test('nothing is bundled twice where nothing has changed', () => {
  expect([build(), build()]).toEqual([1, 1])
  expect(PACKAGES.map((path) => readFileSync(join(root, path, 'dist/builds'), 'utf8'))).toEqual(['x', 'x', 'x'])
})

test('a source that is renamed is bundled anew, wherever it lies', () => {
  leaveOthersBundled()
  build()
  const parts = join(root, 'packages/dashboard/src/parts')
  renameSync(join(parts, 'one.ts'), join(parts, 'two.ts'))
  expect([build(), build()]).toEqual([2, 2])
})

test('what is saved while it is bundled is bundled the next time', () => {
  leaveOthersBundled()
  write('packages/dashboard/before-end.cjs', `require('fs').writeFileSync('src/parts/one.ts', process.hrtime() + '')`)
  expect(build()).toBe(1)
  write('packages/dashboard/before-end.cjs', '', LONG_AGO)
  expect([build(), build()]).toEqual([2, 2])
})

/** All but the dashboard: each build starts npm. */
function leaveOthersBundled(): void {
  for (const path of PACKAGES.slice(0, 2)) write(`${path}/dist/bundled`, '', new Date())
}

/** How many times the dashboard has been bundled once the script has run. */
function build(): number {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/build-bundles.js')], { encoding: 'utf8' })
  expect([status, stderr.includes('Error')]).toEqual([0, false])
  return readFileSync(join(root, 'packages/dashboard/dist/builds'), 'utf8').length
}

function write(path: string, text: string, savedAt = LONG_AGO): void {
  writeFileSync(join(root, path), text)
  utimesSync(join(root, path), savedAt, savedAt)
}

function folders(): string[] {
  const shared = ['scripts', 'packages/contract/src', 'packages/demo-model/src', 'scripts/build-bundles.js']
  return [...shared, ...PACKAGES.flatMap((path) => [`${path}/src`, `${path}/src/parts`])]
}
