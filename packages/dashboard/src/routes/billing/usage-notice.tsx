import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { usageQuery } from '../../api/queries.ts'
import { formatCount, formatRemaining } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { refillOf } from './refill.ts'

/** From this share of an allowance on it is told on every screen. */
const TOLD_FROM = 0.8

/** What of the plan is nearly used up, before anybody is refused. */
export function UsageNotice(): ReactNode {
  const { data: usage } = useQuery(usageQuery)
  if (!usage) return null
  const sentences = [sentenceOf('executions', usage.executions), sentenceOf('anonymous calls', usage.anonymous)].filter(
    (sentence) => sentence !== null,
  )
  if (sentences.length === 0) return null
  return (
    <div className="mb-6">
      <Notice kind="warn">
        {sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
        <Link to="/billing" className="mt-1 inline-block underline underline-offset-2">
          Usage and plans
        </Link>
      </Notice>
    </div>
  )
}

function sentenceOf(what: string, allowance: Schemas['BillingUsage']['executions']): string | null {
  const refill = refillOf(allowance)
  if (!refill || refill.share > 1 - TOLD_FROM) return null
  const { available, burst, perHour } = allowance
  const left = `${formatCount(available ?? 0)} of ${formatCount(burst ?? 0)} ${what} are left`
  return `${left}. ${formatCount(perHour ?? 0)} come back each hour; full again in ${formatRemaining(refill.fullInMs)}.`
}
