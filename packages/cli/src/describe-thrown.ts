import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const FRAME = /\(?((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).*):(\d+):\d+\)?$/

// What Node and jiti say of a module that is named by its package and not by a path.
const MISSING_PACKAGE = /^Cannot find (?:module|package) '(?![./]|[A-Za-z]:)/

/** The project’s folder, and the folder that paths are shown from. */
export type Place = { readonly folder: string; readonly cwd: string }

/** What a module of the project threw, in lines: its message, and the place within the project’s folder if there is one. */
export function describeThrown(thrown: unknown, place: Place): string[] {
  if (!(thrown instanceof Error)) return [`It threw ${String(thrown)}`]
  const lines = messageLines(thrown)
  const isOfProject = (file: string) => file.startsWith(place.folder + sep)
  return [...lines, ...placeInStack(thrown.stack ?? '', { cwd: place.cwd, isOfProject })]
}

// Node lists every importing module below a failed resolution; the file named above them says as much.
function messageLines(error: Error): string[] {
  const [message = ''] = error.message.split('\nRequire stack:')
  const lines = message.split('\n').flatMap((line) => line.trim() || [])
  if (MISSING_PACKAGE.test(message)) return [...lines, 'Run `npm install`; where it is not in package.json, add it.']
  return lines.length > 0 ? lines : [`It threw ${error.name} without a message.`]
}

type Search = { readonly cwd: string; readonly isOfProject: (file: string) => boolean }

/** The line `at src/shop.ts:12` of the first frame in the project’s own code, where there is one. */
export function placeInStack(stack: string, { cwd, isOfProject }: Search): string[] {
  for (const text of stack.split('\n')) {
    const [, path, line] = FRAME.exec(text.trim()) ?? []
    if (path === undefined || line === undefined || text.includes('node:')) continue
    const file = path.startsWith('file://') ? fileURLToPath(path) : path
    if (isOfProject(file) && !file.includes(`${sep}node_modules${sep}`)) return [`at ${relative(cwd, file)}:${line}`]
  }
  return []
}
