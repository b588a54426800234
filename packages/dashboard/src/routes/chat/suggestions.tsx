import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'

/** As much of a capability as a question about it needs. */
export type Suggested = Pick<Schemas['RuntimeDetail']['capabilities'][number], 'name' | 'description'>

const SHOWN = 4

interface SuggestionsProps {
  capabilities: readonly Suggested[]
  onChoose: (question: string) => void
}

/** Questions to begin with, one for each of the first capabilities. */
export function Suggestions({ capabilities, onChoose }: SuggestionsProps): ReactNode {
  const questions = ['What can you do?', ...capabilities.slice(0, SHOWN).map(questionAbout)]
  return (
    <ul aria-label="Suggestions" className="flex flex-wrap justify-center gap-2">
      {questions.map((question) => (
        <li key={question} className="min-w-0">
          <button
            type="button"
            onClick={() => onChoose(question)}
            className="rounded-full border border-line bg-surface px-3 py-1 text-left text-sm text-muted [overflow-wrap:anywhere] hover:border-accent hover:text-ink"
          >
            {question}
          </button>
        </li>
      ))}
    </ul>
  )
}

/** `Search products`: a name as the words that it is made of. */
function questionAbout({ name }: Suggested): string {
  const words = name.replace(/[-_.]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
