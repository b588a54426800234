import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { WIDGET_BUNDLE } from './bundle.js'

await build({ ...WIDGET_BUNDLE, entryPoints: [...WIDGET_BUNDLE.entryPoints] })

const bytes = gzipSync(readFileSync(WIDGET_BUNDLE.outfile), { level: 9 }).length
process.stdout.write(`dist/widget.js: ${(bytes / 1024).toFixed(1)} KiB compressed\n`)
