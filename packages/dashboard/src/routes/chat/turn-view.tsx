import {
  type AssistantTurn,
  type CapabilityBlock,
  type Conversation,
  type Problem,
  type Turn,
  withoutDemoLine,
} from '@svc/widget'
import { Link } from '@tanstack/react-router'
import { CircleX, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, Spinner } from '../../ui/button.tsx'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { useNow } from '../../ui/now.ts'
import { ApprovalView } from './approval-view.tsx'
import { MarkdownView } from './markdown-view.tsx'
import { OutputView } from './output-view.tsx'
import { problemSentence } from './problem-sentence.ts'

interface TurnViewProps {
  turn: Turn
  conversation: Conversation
  isBusy: boolean
  /** The last one can be asked again. */
  isLast: boolean
}

/** A question, or the calls that it led to with the answer and what came of it. */
export function TurnView({ turn, ...rest }: TurnViewProps): ReactNode {
  if (turn.role === 'assistant') return <AnswerView turn={turn} {...rest} />
  return (
    <p className="max-w-[85%] self-end rounded-2xl rounded-br-sm bg-accent-fill px-4 py-2 text-sm whitespace-pre-wrap text-white [overflow-wrap:anywhere]">
      {turn.text}
    </p>
  )
}

function AnswerView({
  turn,
  conversation,
  isBusy,
  isLast,
}: Omit<TurnViewProps, 'turn'> & { turn: AssistantTurn }): ReactNode {
  const { blocks, outputs, approvals, problem, execution } = turn
  return (
    <div className="flex max-w-[85%] flex-col items-start gap-2">
      {blocks.map((block) =>
        block.type === 'capability' ? (
          <CallLine key={block.id} call={block} />
        ) : (
          <div key={block.id} className="max-w-full rounded-2xl rounded-bl-sm bg-subtle px-4 py-2">
            <MarkdownView source={withoutDemoLine(block.text)} />
          </div>
        ),
      )}
      {turn.state === 'running' && blocks.at(-1)?.type !== 'text' && (
        <p className="flex items-center gap-2 text-sm text-muted">
          <Spinner /> Thinking
        </p>
      )}
      {outputs.map((output) => (
        <OutputView key={output.id} output={output} conversation={conversation} isBusy={isBusy} />
      ))}
      {approvals.map((approval) => (
        <ApprovalView key={approval.id} approval={approval} conversation={conversation} />
      ))}
      {turn.isCut && <Notice>The answer ends here: the limit of steps is reached.</Notice>}
      {problem && <ProblemView turn={turn} problem={problem} onRetry={isLast ? () => conversation.retry() : null} />}
      {execution && (
        <p className="flex flex-wrap gap-x-3 text-xs text-muted">
          <span>{formatDuration(execution.durationMs)}</span>
          <span>{formatCount(execution.totalTokens)} tokens</span>
          <Link
            to="/executions/$executionId"
            params={{ executionId: execution.id }}
            className="text-accent underline underline-offset-2"
          >
            View trace
          </Link>
        </p>
      )}
    </div>
  )
}

interface ProblemViewProps {
  turn: AssistantTurn
  problem: Problem
  onRetry: (() => void) | null
}

function ProblemView({ turn: { mayRepeat }, problem, onRetry }: ProblemViewProps): ReactNode {
  return (
    <Notice kind="bad">
      <p>{problem.retryAt === null ? problemSentence(problem, 0) : <Countdown problem={problem} />}</p>
      {onRetry && mayRepeat.length > 0 && (
        <p className="mt-1">
          The answer broke off after it called {mayRepeat.join(', ')}. Trying again may repeat the call.
        </p>
      )}
      {onRetry && (
        <Button className="mt-3" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Notice>
  )
}

function Countdown({ problem }: { problem: Problem }): ReactNode {
  return problemSentence(problem, useNow())
}

function CallLine({ call: { name, state, durationMs, detail } }: { call: CapabilityBlock }): ReactNode {
  const end = state === 'failed' ? (detail ?? 'failed') : durationMs === null ? '' : formatDuration(durationMs)
  return (
    <p className="inline-flex max-w-full items-center gap-2 rounded-md border border-line px-2.5 py-1 text-xs text-muted">
      {state === 'running' ? (
        <Spinner />
      ) : state === 'completed' ? (
        <Wrench aria-hidden="true" className="size-3.5 shrink-0" />
      ) : (
        <CircleX aria-hidden="true" className="size-3.5 shrink-0 text-bad" />
      )}
      <span className="font-mono text-ink">{name}</span>
      <span className="min-w-0 [overflow-wrap:anywhere]">{state === 'running' ? 'running' : end}</span>
    </p>
  )
}
