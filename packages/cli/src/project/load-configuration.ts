import { dirname, relative } from 'node:path'
import { isJsonObject, type JsonObject } from '@svc/contract'
import { projectFailure } from '../failures.ts'
import { loadModule } from './load-module.ts'

/** What the configuration file default-exports, not looked into yet. */
export async function loadConfiguration(configFile: string, cwd: string): Promise<JsonObject> {
  const exports = await loadModule(configFile, { folder: dirname(configFile), cwd })
  const configuration = 'default' in exports ? await exports['default'] : undefined
  if (isJsonObject(configuration)) return configuration
  throw projectFailure(`${relative(cwd, configFile)} does not default-export a configuration object.`, [
    'Write `export default defineConfig({ … })`, with defineConfig from @svc/sdk.',
  ])
}
