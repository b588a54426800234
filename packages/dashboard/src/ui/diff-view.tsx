import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { type DiffLine, diffLines } from './diff-lines.ts'
import { SCROLLABLE } from './scrollable.ts'
import { visible } from './visible.ts'

const STYLES = {
  same: 'text-muted',
  removed: 'bg-bad-soft text-bad',
  added: 'bg-ok-soft text-ok',
}

const MARKS = { same: ' ', removed: '−', added: '+' }
const WORDS = { same: '', removed: 'removed: ', added: 'added: ' }

/** What leads from one text to another. Each line says what became of it by a mark, not by colour alone. */
export function DiffView({ before, after, label }: { before: string; after: string; label: string }): ReactNode {
  const numbered = diffLines(before, after).map((line, number) => ({ ...line, number }))
  return (
    <section
      aria-label={label}
      {...SCROLLABLE}
      className="relative max-h-96 overflow-auto rounded-md border border-line font-mono text-[13px] leading-relaxed"
    >
      <div className="w-max min-w-full py-1">
        {numbered.map(({ number, ...line }) => (
          <Line key={number} line={line} />
        ))}
      </div>
    </section>
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
