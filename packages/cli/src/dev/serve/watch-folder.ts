import { type FSWatcher, readdirSync, type Stats, statSync, watch } from 'node:fs'
import { join, relative, sep } from 'node:path'

const SETTLE_MS = 80
// Some file systems tell nothing of changes: containers’ mounts, network drives.
const POLL_MS = 2_000

const IGNORED_FOLDERS = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'data', 'tmp'])
const KEPT_FILES = /(?:\.(?:[cm]?[jt]sx?|json)|^\.env(?:\..+)?)$/

/**
 * Calls back with the paths of files that changed, came or went, from the folder. Code, JSON and `.env` count; packages,
 * what is generated and folders of data do not.
 */
export function watchFolder(folder: string, onChange: (paths: string[]) => void): { close(): void } {
  const watchers = new Map<string, FSWatcher>()
  let known = survey(folder)
  let settling: NodeJS.Timeout | undefined

  const look = () => {
    const now = survey(folder)
    const changed = difference(known.files, now.files)
    known = now
    follow()
    if (changed.length > 0) onChange(changed)
  }
  const soon = () => {
    clearTimeout(settling)
    settling = setTimeout(look, SETTLE_MS)
  }
  const follow = () => {
    for (const [path, watcher] of watchers) {
      if (known.folders.has(path)) continue
      watcher.close()
      watchers.delete(path)
    }
    for (const path of known.folders) if (!watchers.has(path)) listen(path)
  }
  const listen = (path: string) => {
    try {
      const watcher = watch(path, soon)
      watcher.on('error', () => watcher.close())
      watchers.set(path, watcher)
    } catch {
      // The system allows no further watch, or the folder is gone again: polling covers both.
    }
  }

  follow()
  const poll = setInterval(look, POLL_MS)
  return {
    close() {
      clearInterval(poll)
      clearTimeout(settling)
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

type Survey = { readonly files: ReadonlyMap<string, string>; readonly folders: ReadonlySet<string> }

function survey(root: string): Survey {
  const files = new Map<string, string>()
  const folders = new Set<string>()
  const visit = (folder: string) => {
    folders.add(folder)
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name)
      if (!entry.isDirectory()) note(path, entry.name)
      else if (!isIgnored(root, path, entry.name)) visit(path)
    }
  }
  const note = (path: string, name: string) => {
    if (!KEPT_FILES.test(name) || name === 'generate.cache.json') return
    const stats = statsOf(path)
    if (stats) files.set(relative(root, path), `${stats.mtimeMs} ${stats.size} ${stats.ino}`)
  }
  visit(root)
  return { files, folders }
}

// Of folders that begin with a dot only `.svc` holds code of the project, and what is generated in it does not count.
function isIgnored(root: string, path: string, name: string): boolean {
  if (IGNORED_FOLDERS.has(name)) return true
  if (relative(root, path) === `.svc${sep}generated`) return true
  return name.startsWith('.') && name !== '.svc'
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function difference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const touched = [...after].flatMap(([path, mark]) => (before.get(path) === mark ? [] : [path]))
  return [...touched, ...[...before.keys()].filter((path) => !after.has(path))]
}
