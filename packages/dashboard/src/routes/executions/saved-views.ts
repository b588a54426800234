import { useSyncExternalStore } from 'react'
import { isRecord } from '../../api/is-record.ts'
import { type ExecutionsSearch, readExecutionsSearch } from '../search.ts'

/** Filters under a name. */
export interface SavedView {
  name: string
  search: ExecutionsSearch
}

const KEY = 'svc-views'
const MOST = 12
const listeners = new Set<() => void>()
let read: { text: string | null; views: readonly SavedView[] } = { text: null, views: [] }

/** The views that were saved in this browser, and how to save and remove them. */
export function useSavedViews() {
  const saved = useSyncExternalStore(subscribe, savedViews)
  return {
    saved,
    /** In place of one of the same name. */
    save: (view: SavedView) => keep([...saved.filter(({ name }) => name !== view.name), view].slice(-MOST)),
    remove: (gone: string) => keep(saved.filter(({ name }) => name !== gone)),
  }
}

function savedViews(): readonly SavedView[] {
  const text = localStorage.getItem(KEY)
  if (text !== read.text) read = { text, views: parse(text) }
  return read.views
}

function parse(text: string | null): SavedView[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]')
    const views = Array.isArray(found) ? found.filter(isRecord) : []
    return views.map(({ name, search }) => {
      return { name: String(name), search: isRecord(search) ? readExecutionsSearch(search) : {} }
    })
  } catch {
    return []
  }
}

function keep(views: readonly SavedView[]): void {
  localStorage.setItem(KEY, JSON.stringify(views))
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
