import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { WIDGET_BUNDLE } from './bundle.js'

const ENTRY = fileURLToPath(new URL('../src/cards-page/show-cards.ts', import.meta.url))

/**
 * The page that MCP hosts show cards in, as one document: its script is inline, its styles are made by the script. The policy
 * of its own holds in hosts that set none: no script runs but this one, and nothing is loaded but pictures.
 * @param {string[]} [conditions] of the packages that it is made of
 * @returns {Promise<string>}
 */
export async function makeCardsPage(conditions = []) {
  const { outputFiles } = await build({
    ...WIDGET_BUNDLE,
    entryPoints: [ENTRY],
    format: 'iife',
    conditions,
    write: false,
  })
  const script = outputFiles[0]?.text.trim() ?? ''
  if (/<\/script|<!--/i.test(script)) throw new Error('the script would end its own element')
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    'img-src https:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cards</title>
</head>
<body>
<script>${script}</script>
</body>
</html>
`
}
