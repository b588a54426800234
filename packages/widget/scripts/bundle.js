import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../', import.meta.url))

/** How the one script is made, for pages that build nothing: all of the package but React’s part. */
export const WIDGET_BUNDLE = /** @type {const} */ ({
  entryPoints: [`${folder}src/element/define.ts`],
  outfile: `${folder}dist/widget.js`,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  platform: 'browser',
  legalComments: 'none',
  logLevel: 'warning',
})
