import { isRecord } from '../client/read-json.ts'
import { styleSheet, systemSchemeSheet } from '../element/styles.ts'
import { CardsView } from './cards-view.ts'
import { createHost, greet, tellHeight } from './host-bridge.ts'

// The page that a host of MCP Apps shows: the result of one tool, drawn as the chat draws it.

/** The host's own look, by the names that the extension gives it. */
const LOOK = {
  '--color-background-primary': '--svc-background',
  '--color-background-secondary': '--svc-surface',
  '--color-border-primary': '--svc-line',
  '--color-text-primary': '--svc-text',
  '--color-text-secondary': '--svc-muted',
  '--font-sans': '--svc-font',
}

const PAGE = new CSSStyleSheet()
PAGE.replaceSync('body{margin:0}')
const FRAME = new CSSStyleSheet()
FRAME.replaceSync(':host{display:flow-root;block-size:auto}.output{padding:2px}.note:not(:empty){padding:6px 2px 2px}')

const content = document.createElement('main')
const root = content.attachShadow({ mode: 'open' })
document.adoptedStyleSheets = [PAGE]
root.adoptedStyleSheets = [styleSheet(), systemSchemeSheet(), FRAME]
document.body.append(content)

const host = createHost((method, params) => {
  if (method === 'ui/notifications/tool-result') view.show(params)
  if (method === 'ui/notifications/host-context-changed') dress(params)
})
let tell = (): void => undefined
const view = new CardsView(root, host, () => tell())

void greet(host).then(
  ({ hostContext, hostCapabilities }) => {
    view.canCall = isRecord(hostCapabilities) && isRecord(hostCapabilities['serverTools'])
    if (isRecord(hostContext)) dress(hostContext)
    tell = tellHeight(host, content)
  },
  // A host that does not know the extension has no use for the page.
  () => undefined,
)

function dress({ theme, styles }: Record<string, unknown>): void {
  if (theme === 'light' || theme === 'dark') content.setAttribute('theme', theme)
  const variables = isRecord(styles) ? styles['variables'] : null
  if (!isRecord(variables)) return
  for (const [theirs, ours] of Object.entries(LOOK)) {
    const value = variables[theirs]
    if (typeof value === 'string') content.style.setProperty(ours, value)
  }
}
