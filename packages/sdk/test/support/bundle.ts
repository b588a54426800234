import { build } from 'esbuild'

const folder = new URL('../../', import.meta.url).pathname

/** One script of a module and all that it imports, from the built packages as they are published. */
export async function bundle(contents: string, options: { minify?: boolean } = {}): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    // Neutral: no built-ins of Node are there to fall back on.
    ...{ bundle: true, format: 'iife', platform: 'neutral', target: 'es2022', write: false },
    mainFields: ['module', 'main'],
    minify: options.minify ?? false,
  })
  return outputFiles[0]?.text ?? ''
}
