import { build } from 'esbuild'
import { compressBeside } from '../../../scripts/compress.js'
import { WIDGET_BUNDLE } from './bundle.js'

await build({ ...WIDGET_BUNDLE, entryPoints: [...WIDGET_BUNDLE.entryPoints] })

const { gzipBytes } = compressBeside(WIDGET_BUNDLE.outfile)
process.stdout.write(`dist/widget.js: ${(gzipBytes / 1024).toFixed(1)} KiB compressed\n`)
