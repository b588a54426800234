import { Link } from '@tanstack/react-router'
import { CircleX, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { Spinner } from '../../ui/button.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import type { CallNote, Exchange } from './conversation.ts'
import { MarkdownView } from './markdown-view.tsx'

/** A question, the calls that it led to, and the answer. */
export function ExchangeView({ exchange }: { exchange: Exchange }): ReactNode {
  const { question, answer, calls, result, refusal } = exchange
  const isWaiting = result === null && refusal === null
  return (
    <article className="flex flex-col gap-3">
      <p className="max-w-[85%] self-end rounded-2xl rounded-br-sm bg-accent-fill px-4 py-2 text-sm text-white [overflow-wrap:anywhere]">
        {question}
      </p>
      <div className="flex max-w-[85%] flex-col items-start gap-2">
        {calls.map((call) => (
          <CallLine key={call.callId} call={call} />
        ))}
        {answer !== '' && (
          <div className="max-w-full rounded-2xl rounded-bl-sm bg-subtle px-4 py-2">
            <MarkdownView source={answer} />
          </div>
        )}
        {isWaiting && answer === '' && (
          <p className="flex items-center gap-2 text-sm text-muted">
            <Spinner /> Thinking
          </p>
        )}
        {refusal !== null && <Notice kind="bad">{refusal}</Notice>}
        {result?.status === 'failed' && <Notice kind="bad">{result.error?.message ?? 'The execution failed.'}</Notice>}
        {result && (
          <p className="flex flex-wrap gap-x-3 text-xs text-muted">
            <span>{formatDuration(result.durationMs)}</span>
            <span>{formatCount(result.totalTokens)} tokens</span>
            <Link
              to="/executions/$executionId"
              params={{ executionId: result.executionId }}
              className="text-accent underline underline-offset-2"
            >
              See what happened
            </Link>
          </p>
        )}
      </div>
    </article>
  )
}

function CallLine({ call }: { call: CallNote }): ReactNode {
  const { capability, durationMs, error } = call
  const state = durationMs === null ? 'runs' : error === null ? formatDuration(durationMs) : error
  return (
    <p className="inline-flex items-center gap-2 rounded-md border border-line px-2.5 py-1 text-xs text-muted">
      {durationMs === null ? (
        <Spinner />
      ) : error === null ? (
        <Wrench aria-hidden="true" className="size-3.5" />
      ) : (
        <CircleX aria-hidden="true" className="size-3.5 text-bad" />
      )}
      <span className="font-mono text-ink">{capability}</span>
      <span>{state}</span>
    </p>
  )
}
