import { readdirSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { extname } from 'node:path'

export interface StaticFile {
  type: string
  content: Buffer
}

const TYPES = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
])

/** Every file of a folder by its path, pages without their ending. Read once, so that no request can name a path on disk. */
export function loadStaticFiles(folder: URL): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  for (const name of readdirSync(folder)) {
    const type = TYPES.get(extname(name))
    if (type) files.set(pathOf(name), { type, content: readFileSync(new URL(name, folder)) })
  }
  return files
}

function pathOf(name: string): string {
  return name === 'index.html' ? '/' : `/${name.replace(/\.html$/, '')}`
}

/**
 * Sends a file under a policy that lets the page speak to its own server and to the given origin, where the chat’s script comes
 * from, and to nobody else.
 */
export function sendStaticFile(response: ServerResponse, file: StaticFile, chatOrigin: string | null): void {
  const sources = ["'self'", ...(chatOrigin ? [chatOrigin] : [])].join(' ')
  response.writeHead(200, {
    'content-type': file.type,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy':
      `default-src 'none'; script-src ${sources}; style-src 'self'; img-src 'self'; connect-src ${sources}; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  })
  response.end(file.content)
}
