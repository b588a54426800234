import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { formatBytes, formatCount, formatRemaining } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/now.ts'
import { ShareBar } from '../../ui/share-bar.tsx'
import { refillOf } from './refill.ts'

type Usage = Schemas['BillingUsage']

/** Usage of this hour, and what is left of the allowances that refill hourly. */
export function UsageCard({ usage }: { usage: Usage }): ReactNode {
  const left = Date.parse(usage.periodEnd) - useNow()
  return (
    <Card
      title="Usage"
      description={`This hour ends in ${formatRemaining(left)}. Unused executions carry over, up to the limit of the plan.`}
    >
      <div className="flex flex-col gap-6">
        {usage.warnings.map((warning) => (
          <Notice key={warning} kind="warn">
            {warning}
          </Notice>
        ))}
        <div className="grid gap-6 md:grid-cols-2">
          <Meter name="Executions" allowance={usage.executions} />
          <Meter name="Anonymous executions" allowance={usage.anonymous} />
        </div>
        <Facts
          facts={[
            ['Capability calls', formatCount(usage.capabilityCalls)],
            ['Input tokens', formatCount(usage.inputTokens)],
            ['Output tokens', formatCount(usage.outputTokens)],
            ['Total tokens', formatCount(usage.totalTokens)],
            ['Storage', storedOf(usage)],
          ]}
        />
      </div>
    </Card>
  )
}

function storedOf({ storedBytes: { used, limit } }: Usage): string {
  return limit === null ? formatBytes(used) : `${formatBytes(used)} of ${formatBytes(limit)}`
}

function Meter({ name, allowance }: { name: string; allowance: Usage['executions'] }): ReactNode {
  const { used, available, perHour, burst } = allowance
  const refill = refillOf(allowance)
  if (!refill || available === null || perHour === null || burst === null) {
    return (
      <div>
        <h3 className="text-sm font-medium">{name}</h3>
        <p className="mt-1 text-sm text-muted">{formatCount(used)} this hour. Unlimited on your plan.</p>
      </div>
    )
  }
  return (
    <div>
      <h3 className="flex justify-between text-sm font-medium">
        <span>{name}</span>
        <span className="tabular-nums">
          {formatCount(available)} of {formatCount(burst)} left
        </span>
      </h3>
      <Bar label={`${name} left`} value={available} max={burst} share={refill.share} />
      <p className="mt-1 text-sm text-muted">
        {formatCount(used)} used this hour · refills {formatCount(perHour)} per hour
        {refill.fullInMs > 0 ? ` · full in ${formatRemaining(refill.fullInMs)}` : ' · full'}
      </p>
    </div>
  )
}

interface BarProps {
  label: string
  value: number
  max: number
  /** From 0 to 1. */
  share: number
}

function Bar({ label, value, max, share }: BarProps): ReactNode {
  return (
    <div className="relative mt-2">
      <meter aria-label={label} min={0} max={max} value={value} className="sr-only" />
      <ShareBar share={share} />
    </div>
  )
}
