import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { notFound } from '../errors.ts'

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API reference</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/reference.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script src="docs/reference.js" defer></script>
</head>
<body>
<noscript>This page needs JavaScript. The description that it shows is <a href="openapi.json">openapi.json</a>.</noscript>
<div id="reference"></div>
</body>
</html>
`

// The column is empty in this description, and pushes the others off a narrow screen.
const STYLE = `.swagger-ui .response-col_links { display: none; }
.swagger-ui .content-type { max-width: 100%; }
`

// No validator: it would send the address of this service to somebody else's.
const SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
`

/** The page's own files and what they are; everything else under the page is absent. */
const ASSETS = new Map([
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
])

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

const HIDDEN = { hide: true }

/** Public plane: a page that shows the API's description, from files of ours alone. */
export function docsRoutes(plane: FastifyInstance): void {
  plane.get('/docs', { schema: HIDDEN }, async (_request, reply) => send(reply, 'text/html; charset=utf-8', PAGE))

  plane.get<{ Params: { asset: string } }>('/docs/:asset', { schema: HIDDEN }, async (request, reply) => {
    const { asset } = request.params
    if (asset === '') return reply.redirect('../docs', 308)
    reply.header('cache-control', 'public, max-age=3600')
    if (asset === 'reference.css') return send(reply, 'text/css; charset=utf-8', STYLE)
    if (asset === 'reference.js') return send(reply, 'text/javascript; charset=utf-8', SCRIPT)
    const type = ASSETS.get(asset)
    if (type === undefined) throw notFound('The route')
    return send(reply, type, await readAsset(asset))
  })
}

function send(reply: FastifyReply, type: string, content: string | Buffer): FastifyReply {
  return reply.headers(HEADERS).type(type).send(content)
}

const require = createRequire(import.meta.url)
const read = new Map<string, Promise<Buffer>>()

function readAsset(name: string): Promise<Buffer> {
  const folder = dirname(require.resolve('@fastify/swagger-ui/package.json'))
  const content = read.get(name) ?? readFile(join(folder, 'static', name))
  read.set(name, content)
  return content
}
