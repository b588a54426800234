import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectFailure } from '../failures.ts'

const CONFIG_FILE = 'svc.config.ts'

/** Path of the nearest `svc.config.ts`, in the folder itself or any above it. */
export function findConfig(folder: string): string {
  for (let current = folder; ; current = dirname(current)) {
    const candidate = join(current, CONFIG_FILE)
    if (existsSync(candidate)) return candidate
    if (dirname(current) === current) break
  }
  throw projectFailure(`There is no ${CONFIG_FILE} in ${folder} or any folder above it.`, [
    'Change to the project’s folder, make a project with `svc init`, or create the file:',
    '',
    "  import { defineConfig } from '@svc/sdk'",
    '  export default defineConfig({ apiKey: process.env.SVC_API_KEY })',
  ])
}
