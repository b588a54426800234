import { execFileSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'

vi.setConfig({ testTimeout: 60_000 })

const MODULE = new URL('../../dist/heap-growth.js', import.meta.url)

// As streams do: 120 texts of half a megabyte, 60 MB together, come in pieces, are read as a whole, and are given up.
const PROGRAM = `
  const { boundHeapGrowth } = await import(${JSON.stringify(MODULE.href)})
  boundHeapGrowth()
  const turn = () => new Promise(setImmediate)
  let most = 0
  const look = () => { most = Math.max(most, process.memoryUsage().heapUsed / 1024 / 1024) }
  for (let round = 0; round < 6; round += 1) {
    const texts = Array.from({ length: 120 }, () => '')
    for (let piece = 0; piece < 10; piece += 1) {
      for (const index of texts.keys()) texts[index] += JSON.stringify('x'.repeat(50_000) + piece)
      look()
      await turn()
    }
    for (const [index, text] of texts.entries()) {
      Buffer.byteLength(text)
      look()
      if (index % 10 === 0) await turn()
    }
  }
  process.stdout.write(String(most))
`

test('what long answers leave behind is collected before there is as much of it again', () => {
  // Never under 120 MB, as each text is there in pieces and as a whole; 260 MB where V8 is left to itself.
  const most = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], { encoding: 'utf8' })
  expect(Number(most)).toBeLessThan(200)
})
