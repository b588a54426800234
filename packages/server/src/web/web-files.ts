import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The built files that browsers load. Null: not built. */
export interface WebFiles {
  /** The folder with the dashboard’s index.html. */
  dashboard: string | null
  widget: string | null
  /** The page that MCP hosts show cards in: the document itself. */
  cards: string | null
}

export const NO_WEB_FILES: WebFiles = { dashboard: null, widget: null, cards: null }

/** Finds the builds of the installed packages. */
export function findWebFiles(): WebFiles {
  const page = builtFile(() => require.resolve('@svc/dashboard/package.json'), 'dist/app/index.html')
  const widget = builtFile(() => require.resolve('@svc/widget/package.json'), 'dist/widget.js')
  const cards = builtFile(() => require.resolve('@svc/widget/package.json'), 'dist/cards.html')
  return { dashboard: page && dirname(page), widget, cards: cards && readFileSync(cards, 'utf8') }
}

/** A log line for each file that is missing. */
export function missingWebFiles({ dashboard, widget, cards }: WebFiles): string[] {
  return [
    ...(dashboard === null ? ['the dashboard is not built: /dashboard answers 404 until “npm run build” has run'] : []),
    ...(widget === null ? ['the chat widget is not built: /widget.js answers 404 until “npm run build” has run'] : []),
    ...(cards === null ? ['the page of cards is not built: MCP hosts show text until “npm run build” has run'] : []),
  ]
}

const require = createRequire(import.meta.url)

function builtFile(findManifest: () => string, path: string): string | null {
  try {
    const file = join(dirname(findManifest()), path)
    return existsSync(file) ? file : null
  } catch {
    return null
  }
}
