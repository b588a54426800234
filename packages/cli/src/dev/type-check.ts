import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { projectFailure } from '../failures.ts'

const MAX_LINES = 20

/**
 * Type-checks the project with its own TypeScript and tsconfig.json: what a handler takes from its context, among the rest.
 * False where it has not both. Throws a failure with the compiler’s lines.
 */
export async function typeCheck(projectFolder: string): Promise<boolean> {
  const config = join(projectFolder, 'tsconfig.json')
  const compiler = compilerOf(projectFolder)
  if (compiler === null || !existsSync(config)) return false
  const { code, text } = await run(compiler, ['--noEmit', '--pretty', 'false', '-p', config], projectFolder)
  if (code === 0) return true
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const more = lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} more lines: npx tsc --noEmit`] : []
  throw projectFailure('The project’s types do not fit.', [...lines.slice(0, MAX_LINES), ...more])
}

function compilerOf(projectFolder: string): string | null {
  try {
    const manifest = createRequire(join(projectFolder, 'package.json')).resolve('typescript/package.json')
    const compiler = join(dirname(manifest), 'lib', 'tsc.js')
    return existsSync(compiler) ? compiler : null
  } catch {
    return null
  }
}

function run(program: string, args: readonly string[], cwd: string): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve, reject) => {
    const child = fork(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] })
    let text = ''
    for (const output of [child.stdout, child.stderr]) output?.on('data', (chunk) => (text += String(chunk)))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, text }))
  })
}
