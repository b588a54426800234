import { ChevronsUpDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { classNames } from './class-names.ts'
import { type DiffLine, diffLines } from './diff-lines.ts'
import { type DiffPart, foldLines } from './fold-lines.ts'
import { formatCount } from './format.ts'
import { SCROLLABLE } from './scrollable.ts'
import { visible } from './visible.ts'

const STYLES = {
  same: 'text-muted',
  removed: 'bg-bad-soft text-bad',
  added: 'bg-ok-soft text-ok',
}

const MARKS = { same: ' ', removed: '−', added: '+' }
const WORDS = { same: '', removed: 'removed: ', added: 'added: ' }

/**
 * What leads from one text to another, from the first change on; equal lines are folded. Each line says what became of it
 * by a mark, not by colour alone.
 */
export function DiffView({ before, after, label }: { before: string; after: string; label: string }): ReactNode {
  return (
    <section
      aria-label={label}
      {...SCROLLABLE}
      className="relative max-h-96 overflow-auto rounded-md border border-line font-mono text-[13px] leading-relaxed"
    >
      <div className="w-max min-w-full py-1">
        {foldLines(diffLines(before, after)).map((part) => (
          <Part key={part.at} part={part} />
        ))}
      </div>
    </section>
  )
}

function Part({ part: { isFolded, at, lines } }: { part: DiffPart }): ReactNode {
  const [isOpen, setOpen] = useState(!isFolded)
  if (isOpen)
    return lines
      .map((line, place) => ({ line, place: at + place }))
      .map(({ line, place }) => <Line key={place} line={line} />)
  return (
    <button
      type="button"
      onClick={() => setOpen(true)}
      className="flex w-full items-center gap-2 bg-subtle px-3 py-0.5 font-sans text-xs text-muted hover:text-ink"
    >
      <ChevronsUpDown aria-hidden="true" className="size-3" />
      {lines.length === 1 ? '1 equal line' : `${formatCount(lines.length)} equal lines`}
    </button>
  )
}

function Line({ line }: { line: DiffLine }): ReactNode {
  return (
    <div className={classNames('flex px-3 whitespace-pre', STYLES[line.kind])}>
      <span aria-hidden="true" className="w-5 shrink-0 select-none">
        {MARKS[line.kind]}
      </span>
      <span className="sr-only">{WORDS[line.kind]}</span>
      <span>{visible(line.text)}</span>
    </div>
  )
}
