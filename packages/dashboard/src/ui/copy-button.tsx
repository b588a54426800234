import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'

const SHOWN_MS = 2_000

interface CopyButtonProps {
  text: string
  /** What it is, for those who do not see what stands beside the button. */
  label: string
  /** What the button says where nothing beside it does. */
  children?: string
  /** A small icon, beside what it copies. */
  isIcon?: boolean
  onCopied?: () => void
}

/** Copies a text. */
export function CopyButton({ text, label, children = 'Copy', isIcon = false, onCopied }: CopyButtonProps): ReactNode {
  const [copied, setCopied] = useState<'yes' | 'no' | null>(null)
  useEffect(() => {
    if (copied === null) return
    const timer = setTimeout(() => setCopied(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const Icon = copied === 'yes' ? Check : Copy
  return (
    <Button
      aria-label={`Copy ${label}`}
      kind={isIcon ? 'ghost' : 'secondary'}
      size={isIcon ? 'icon' : 'small'}
      onClick={() => {
        void copy(text).then((isDone) => {
          setCopied(isDone ? 'yes' : 'no')
          if (isDone) onCopied?.()
        })
      }}
    >
      <Icon aria-hidden="true" className={isIcon ? 'size-3.5' : 'size-4'} />
      <span aria-live="polite" className={isIcon ? 'sr-only' : ''}>
        {copied === 'yes' ? 'Copied' : copied === 'no' ? 'Not allowed' : children}
      </span>
    </Button>
  )
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
