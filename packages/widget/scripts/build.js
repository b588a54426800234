import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { compressBeside } from '../../../scripts/compress.js'
import { WIDGET_BUNDLE } from './bundle.js'
import { makeCardsPage } from './cards-page.js'

await build({ ...WIDGET_BUNDLE, entryPoints: [...WIDGET_BUNDLE.entryPoints] })
writeFileSync(fileURLToPath(new URL('../dist/cards.html', import.meta.url)), await makeCardsPage())

const { gzipBytes } = compressBeside(WIDGET_BUNDLE.outfile)
process.stdout.write(`dist/widget.js: ${(gzipBytes / 1024).toFixed(1)} KiB compressed\n`)
