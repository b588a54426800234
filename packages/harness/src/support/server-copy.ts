import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One change of a built file: `from` must stand in it exactly once. */
export interface TextEdit {
  /** Inside the folder of the built server, such as `database/batch.js`. */
  file: string
  from: string
  to: string
}

/**
 * Copies the built server into a cache folder, until the end, and changes the copy. The server itself knows nothing of
 * it: what is compared with it has no switch there. Returns the copy's folder. Throws where an edit
 * does not fit.
 */
export function copyServer(
  serverFolder: string,
  edits: readonly TextEdit[],
  { onEnd }: { onEnd(cleanUp: () => void): void },
): string {
  const packageFolder = dirname(serverFolder)
  const cache = join(packageFolder, '..', '..', 'node_modules', '.cache', 'svc-harness')
  mkdirSync(cache, { recursive: true })
  const copy = mkdtempSync(join(cache, 'server-'))
  onEnd(() => rmSync(copy, { recursive: true, force: true }))
  cpSync(serverFolder, join(copy, 'dist'), {
    recursive: true,
    filter: (path) => !/\.(map|d\.ts|tsbuildinfo)$/.test(path),
  })
  cpSync(join(packageFolder, 'package.json'), join(copy, 'package.json'))
  // What npm put beside the server alone, because of another version at the root.
  symlinkSync(join(packageFolder, 'node_modules'), join(copy, 'node_modules'))
  for (const edit of edits) {
    const path = join(copy, 'dist', edit.file)
    writeFileSync(path, applyEdit(readFileSync(path, 'utf8'), edit))
  }
  return join(copy, 'dist')
}

/** The text with the change made. Throws where its place is not there, or there more than once. */
export function applyEdit(text: string, { file, from, to }: TextEdit): string {
  const places = text.split(from).length - 1
  if (places !== 1)
    throw new Error(`“${from}” stands ${places} times in ${file}; the change of a copy is written for once`)
  return text.replace(from, () => to)
}
