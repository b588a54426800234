import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { SCROLLABLE } from './scrollable.ts'
import { visible } from './visible.ts'

interface CodeBlockProps {
  text: string
  label: string
  onCopied?: () => void
}

/** Text for another place: a command, a file, a key. Long lines scroll; the button takes all of it. */
export function CodeBlock({ text, label, onCopied }: CodeBlockProps): ReactNode {
  return (
    <div className="flex min-w-0 items-start gap-2 rounded-md max-sm:flex-col border border-line bg-subtle p-2">
      <pre
        {...SCROLLABLE}
        className="max-w-full min-w-0 flex-1 self-center overflow-x-auto max-sm:self-stretch px-1.5 py-1 font-mono text-[13px] leading-relaxed"
      >
        <code>{visible(text)}</code>
      </pre>
      <CopyButton text={text} label={label} {...(onCopied && { onCopied })} />
    </div>
  )
}
