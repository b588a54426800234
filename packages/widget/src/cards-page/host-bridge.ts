import { isRecord } from '../client/read-json.ts'

/** The application that shows this page, by the extension for MCP Apps: JSON-RPC 2.0 in messages between windows. */
export interface Host {
  /** Rejects where the host refuses. */
  request(method: string, params: object): Promise<Record<string, unknown>>
  notify(method: string, params: object): void
}

/** What the host says without being asked. */
export type Heard = (method: string, params: Record<string, unknown>) => void

/** The revision of the extension. */
const VERSION = '2026-01-26'
/** A host without an answer after this time has refused. */
const ANSWER_MS = 60_000
const METHOD_NOT_FOUND = { error: { code: -32601, message: 'Method not found' } }

export function createHost(heard: Heard): Host {
  const waiting = new Map<unknown, { resolve(result: Record<string, unknown>): void; reject(error: Error): void }>()
  let lastId = 0
  // The page knows no origin of its host, which may have none. Nothing that it says is secret from what shows it.
  const post = (message: object) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')

  window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    // Any other window can send messages, too.
    if (source !== window.parent || !isRecord(data) || data['jsonrpc'] !== '2.0') return
    const { id, method, params, result } = data
    if (typeof method !== 'string') settle(id, result)
    else if (id !== undefined) post({ id, ...answerTo(method) })
    else heard(method, isRecord(params) ? params : {})
  })

  function settle(id: unknown, result: unknown): void {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (isRecord(result)) asked?.resolve(result)
    else asked?.reject(new Error('The host refused.'))
  }

  return {
    request(method, params) {
      lastId += 1
      const id = lastId
      post({ id, method, params })
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        setTimeout(() => settle(id, null), ANSWER_MS)
      })
    },
    notify(method, params) {
      post({ method, params })
    },
  }
}

function answerTo(method: string): object {
  return method === 'ping' || method === 'ui/resource-teardown' ? { result: {} } : METHOD_NOT_FOUND
}

/** Says what this page is. What the host says of itself, which comes before any result of a tool. */
export async function greet(host: Host): Promise<Record<string, unknown>> {
  const answer = await host.request('ui/initialize', {
    protocolVersion: VERSION,
    appInfo: { name: 'svc-cards', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline'] },
  })
  host.notify('ui/notifications/initialized', {})
  return answer
}

/**
 * Tells the host how high the content is, whenever that changes. Returns what tells it at once: in a frame without height a
 * browser draws nothing, so that it would observe no change. The width is the host's.
 */
export function tellHeight(host: Host, content: Element): () => void {
  let told = -1
  const tell = () => {
    const height = Math.ceil(content.getBoundingClientRect().height)
    if (height === told) return
    told = height
    host.notify('ui/notifications/size-changed', { height })
  }
  new ResizeObserver(tell).observe(content)
  return tell
}
