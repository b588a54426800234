import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { Notice } from '../../ui/notice.tsx'
import { rangeWords } from './ranges.ts'

interface RangeNoteProps {
  range: Schemas['AnalyticsSummary']['range']
  /** Whether the figures stand beside those of the time before. */
  isCompared: boolean
}

/** Which time the figures are of, and whether the plan made it shorter than what was asked for. */
export function RangeNote({ range, isCompared }: RangeNoteProps): ReactNode {
  const words = rangeWords(range)
  if (!range.clamped) {
    return (
      <p className="text-sm text-muted">
        {words}
        {isCompared && ', compared with the period before'}
      </p>
    )
  }
  return (
    <Notice kind="warn">
      Your plan keeps a shorter history. Shown: {words}.{' '}
      <Link to="/billing" className="font-medium underline underline-offset-2">
        View plans
      </Link>
    </Notice>
  )
}
