import { basename } from 'node:path'
import { CLI_VERSION } from '../../version.ts'

/** What a project needs at run time, and what it needs to be worked on. */
export const DEPENDENCIES = { '@svc/sdk': `^${CLI_VERSION}`, zod: '^4.2.0' }
export const DEV_DEPENDENCIES = { '@svc/cli': `^${CLI_VERSION}`, '@types/node': '^20.19.0', typescript: '^6.0.3' }

export const SCRIPTS = {
  dev: 'svc dev',
  test: 'svc test',
  deploy: 'svc deploy',
  start: 'tsc && node dist/src/server.js',
}

export function packageJson(folder: string): string {
  const manifest = {
    name: packageName(folder),
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.20' },
    scripts: SCRIPTS,
    dependencies: DEPENDENCIES,
    devDependencies: DEV_DEPENDENCIES,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name === '' || name === 'node-modules' ? 'my-app' : name.slice(0, 100)
}
