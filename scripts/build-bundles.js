import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SHARED = [
  'package-lock.json',
  'tsconfig.base.json',
  'scripts',
  ...['contract', 'demo-model', 'widget'].map((name) => `packages/${name}/src`),
]
const PACKAGES = ['packages/server', 'packages/widget', 'packages/dashboard']
// Its own folder's time tells nothing: it changes when “dist” is made.
const NOT_INPUT = new Set(['dist', 'node_modules', 'test'])

// A bundle is made anew only where something that it is made of has changed since.
process.chdir(join(import.meta.dirname, '..'))
for (const folder of PACKAGES) {
  const stamp = join(folder, 'dist/bundled')
  const inputs = readdirSync(folder).filter((name) => !NOT_INPUT.has(name))
  const changed = Math.max(...[...inputs.map((name) => join(folder, name)), ...SHARED].map(newestIn))
  if (existsSync(stamp) && statSync(stamp).mtimeMs > changed) continue
  const begunAt = new Date()
  const { status } = spawnSync('npm', ['run', '-s', 'build', '--workspace', folder], {
    // Not to stdout: that is the started command’s own.
    stdio: ['inherit', 2, 'inherit'],
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, '')
  // Of when it began: what was saved while it ran may not be in it.
  utimesSync(stamp, begunAt, begunAt)
}

/**
 * When something in it was last changed, added or taken away, milliseconds since the epoch.
 * @param {string} path
 * @returns {number}
 */
function newestIn(path) {
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  const inside = readdirSync(path).filter((name) => !NOT_INPUT.has(name))
  return Math.max(entry.mtimeMs, ...inside.map((name) => newestIn(join(path, name))))
}
