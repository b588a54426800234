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

// The column of links is empty in this description, and pushes the others off a narrow screen.
const STYLE = `.swagger-ui .response-col_links { display: none; }
.swagger-ui .content-type { max-width: 100%; }
`

// No validator: it would send the address of this service to another one.
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

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

const HIDDEN = { schema: { hide: true } }
const AN_HOUR = 'public, max-age=3600'
const SWAGGER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png']
const require = createRequire(import.meta.url)
const SWAGGER_FOLDER = join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static')

/** Public plane: a page that shows the API's description, from this service's files alone. The plane sends files. */
export function docsRoutes(plane: FastifyInstance): void {
  plane.get('/docs', HIDDEN, async (_request, reply) => send(reply, 'text/html; charset=utf-8', PAGE))

  plane.get<{ Params: { asset: string } }>('/docs/:asset', HIDDEN, async (request, reply) => {
    const { asset } = request.params
    if (asset === '') return reply.redirect('../docs', 308)
    reply.header('cache-control', AN_HOUR)
    if (asset === 'reference.css') return send(reply, 'text/css; charset=utf-8', STYLE)
    if (asset === 'reference.js') return send(reply, 'text/javascript; charset=utf-8', SCRIPT)
    if (!SWAGGER_FILES.includes(asset)) throw notFound('The route')
    return reply.headers(HEADERS).sendFile(asset, SWAGGER_FOLDER, { cacheControl: false })
  })
}

function send(reply: FastifyReply, type: string, content: string): FastifyReply {
  return reply.headers(HEADERS).type(type).send(content)
}
