import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { Notice } from '../../ui/notice.tsx'
import { rangeWords } from './ranges.ts'

/** Which time the figures are of, and whether the plan made it shorter than what was asked for. */
export function RangeNote({ range }: { range: Schemas['AnalyticsSummary']['range'] }): ReactNode {
  const words = rangeWords(range)
  if (!range.clamped) return <p className="text-sm text-muted">{words}</p>
  return (
    <Notice kind="warn">
      Your plan does not look back that far. Shown is {words}.{' '}
      <Link to="/billing" className="font-medium underline underline-offset-2">
        See the plans
      </Link>
    </Notice>
  )
}
