import type { WidgetSettings } from '@svc/contract'
import { isRecord } from './read-json.ts'

/** What the owner deployed for chats, or null where the answer is none. */
export function readWidgetSettings(value: unknown): WidgetSettings | null {
  if (!isRecord(value)) return null
  const { name, accent, suggestions } = value
  const listed: unknown[] = Array.isArray(suggestions) ? suggestions : []
  return {
    name: typeof name === 'string' ? name : null,
    accent: typeof accent === 'string' && /^#([\da-f]{3}|[\da-f]{6})$/i.test(accent) ? accent : null,
    suggestions: listed.filter((text) => typeof text === 'string').slice(0, 3),
  }
}
