import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const APP = join(import.meta.dirname, '../dist/app')
const MAX_BYTES = 200 * 1024

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    imports: z.array(z.string()).default([]),
    dynamicImports: z.array(z.string()).default([]),
    css: z.array(z.string()).default([]),
  }),
)

describe('what is loaded first', () => {
  const manifest = Manifest.parse(JSON.parse(readFileSync(join(APP, '.vite/manifest.json'), 'utf8')))

  test.each([
    ['the way in', ['index.html', 'src/routes/account/sign-in.tsx']],
    ['the first screen', ['index.html', 'src/routes/home/home.tsx']],
  ])('%s is at most 200 KiB, compressed', (_, entries) => {
    const files = [...new Set(entries.flatMap((entry) => filesOf(entry)))]
    const bytes = files.map((file) => readFileSync(join(APP, `${file}.gz`)).length)
    expect(files.length).toBeGreaterThan(2)
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MAX_BYTES)
  })

  test('what draws charts is in files of its own', () => {
    const chart = filesOf('src/charts/bar-chart.tsx')
    const screen = [...filesOf('index.html'), ...filesOf('src/routes/analytics/analytics.tsx')]
    const own = chart.filter((file) => !screen.includes(file))
    expect(own.map((file) => readFileSync(join(APP, file), 'utf8')).join('')).toContain('recharts')
    expect(screen.map((file) => readFileSync(join(APP, file), 'utf8')).join('')).not.toContain('recharts-')
  })

  test('every file of the build is there compressed, too', () => {
    for (const { file } of Object.values(manifest)) {
      expect([file, existsSync(join(APP, `${file}.br`)), existsSync(join(APP, `${file}.gz`))]).toEqual([
        file,
        true,
        true,
      ])
    }
  })

  function filesOf(entry: string): string[] {
    const chunk = manifest[entry]
    if (!chunk) throw new Error(`the build has no ${entry}`)
    return [...new Set([chunk.file, ...chunk.css, ...chunk.imports.flatMap(filesOf)])]
  }
})
