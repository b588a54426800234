import type { DiffLine } from './diff-lines.ts'

/** Lines that are shown, or equal ones that are folded. `at` is the place of the first one. */
export interface DiffPart {
  isFolded: boolean
  at: number
  lines: readonly DiffLine[]
}

const AROUND = 3

/** A difference in parts: changes with a few lines around them, and the equal lines between them, folded. */
export function foldLines(lines: readonly DiffLine[]): DiffPart[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ kind }) => kind !== 'same'),
  )
  const parts: { isFolded: boolean; at: number; lines: DiffLine[] }[] = []
  for (const [at, line] of lines.entries()) {
    const isFolded = isNear[at] !== true
    const last = parts.at(-1)
    if (last?.isFolded === isFolded) last.lines.push(line)
    else parts.push({ isFolded, at, lines: [line] })
  }
  return parts
}
