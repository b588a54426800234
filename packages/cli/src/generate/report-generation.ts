import type { JsonObject } from '@svc/contract'
import { dim } from '../terminal/piece.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { projectPath } from './generated-file.ts'
import type { PlannedGenerator } from './plan-generation.ts'

/** One line for each generator that had nothing to do, and one for each file of the others. */
export function reportGeneration(plan: readonly PlannedGenerator[], print: Terminal['line']): void {
  const shown = plan.filter(({ status, files }) => status !== 'removed' || files.length > 0)
  if (shown.length === 0) return
  const width = Math.max(...shown.map(({ name }) => name.length))
  print('Generated files:')
  for (const { name, status, files } of shown) {
    const label = `  ${name.padEnd(width)}  `
    if (status === 'skipped (cached)' || status === 'kept') print(dim(label + status))
    else if (files.length === 0) print(dim(`${label}no file`))
    else for (const file of files) print(`${label}${file.status.padEnd(9)}  ${shownPath(name, file)}`)
  }
}

/** Why there are files that are not made. */
export function notesOf(plan: readonly PlannedGenerator[]): string[] {
  return plan.flatMap(({ note }) => note ?? [])
}

/** The same for scripts. Paths are relative to the project’s folder. */
export function generationResult(plan: readonly PlannedGenerator[]): JsonObject[] {
  return plan.map(({ name, status, files, note }) => ({
    name,
    status,
    files: files.map((file) => ({ path: shownPath(name, file), status: file.status })),
    note,
  }))
}

/** Files that are not on disk as they should be. */
export function outdatedFiles(plan: readonly PlannedGenerator[]): (readonly [string, string])[] {
  return plan.flatMap(({ name, files }) =>
    files.flatMap((file) => {
      const explanation = EXPLANATIONS[file.status]
      return explanation === null ? [] : [[shownPath(name, file), explanation] as const]
    }),
  )
}

const EXPLANATIONS = {
  created: 'is missing.',
  updated: 'is out of date.',
  removed: 'is made no more.',
  unchanged: null,
  kept: null,
}

function shownPath(generator: string, { path }: { readonly path: string }): string {
  return projectPath({ generator, path })
}
