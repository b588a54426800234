import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { isRecord } from '../../api/is-record.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { formatCount, formatDuration, formatTime } from '../../ui/format.ts'
import { JsonView } from '../../ui/json-tree.tsx'
import { Notice } from '../../ui/notice.tsx'
import { FailureNotice } from './failure-notice.tsx'

interface CallCardProps {
  call: Schemas['TracedCall']
  /** Whether what went wrong with it stands above already. */
  isFailureTold: boolean
}

/** One call of a capability: what went in and what came back. */
export function CallCard({ call, isFailureTold }: CallCardProps): ReactNode {
  const { callId, capability, step, status, input, output, error, durationMs } = call
  return (
    <div id={callId} className="scroll-mt-20">
      <Card
        title={capability}
        description={`${step > 0 ? `Step ${step}, ` : ''}${formatDuration(durationMs)}`}
        actions={
          <span className="flex items-center gap-2">
            <StateBadge state={status} />
            <CopyButton text={callId} label={`the id of the call of ${capability}`} isIcon />
          </span>
        }
      >
        <div className="flex flex-col gap-4">
          {error && !isFailureTold && (
            <FailureNotice of="call" message={error.message} isUnknown={status === 'unknown'} />
          )}
          {call.reconciled && <Reconciled {...call.reconciled} label={capability} />}
          <div className="grid gap-4 lg:grid-cols-2">
            <Payload title="Input" value={input} label={`Input of ${capability}`} />
            {!error && <Payload title="Output" value={output} label={`Output of ${capability}`} />}
          </div>
        </div>
      </Card>
    </div>
  )
}

const TOLD = {
  completed: 'The endpoint said later that the call was completed.',
  failed: 'The endpoint said later that the call failed.',
  never: 'The endpoint said later that the call was never started.',
} as const

type ReconciledProps = NonNullable<Schemas['TracedCall']['reconciled']> & { label: string }

/** What the endpoint said of an unknown call when it was asked. */
function Reconciled({ status, output, message, at, label }: ReconciledProps): ReactNode {
  return (
    <Notice kind="info">
      <p className="font-medium">{TOLD[status]}</p>
      <p className="mt-1">
        {formatTime(at)}
        {message !== undefined && `: ${message}`}
      </p>
      {output !== undefined && <Payload title="Output" value={output} label={`Later output of ${label}`} />}
    </Notice>
  )
}

function Payload({ title, value, label }: { title: string; value: unknown; label: string }): ReactNode {
  const cut = cutOf(value)
  return (
    <div className="min-w-0">
      <h3 className="mb-1.5 text-sm font-medium">{title}</h3>
      {cut && (
        <div className="mb-2">
          <Notice kind="info">The payload had {formatCount(cut.bytes)} bytes. Only its beginning is stored.</Notice>
        </div>
      )}
      <JsonView value={cut ? cut.preview : value} label={label} />
    </div>
  )
}

// Traces store oversized payloads in this form.
function cutOf(value: unknown): { bytes: number; preview: unknown } | null {
  if (!isRecord(value) || value['truncated'] !== true || !('preview' in value)) return null
  const { bytes, preview } = value
  return typeof bytes === 'number' ? { bytes, preview } : null
}
