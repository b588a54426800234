import type { Approval, Conversation } from '@svc/widget'
import { type ReactNode, useId } from 'react'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/now.ts'
import { Preview } from '../../ui/preview.tsx'
import { problemSentence } from './problem-sentence.ts'

interface ApprovalViewProps {
  approval: Approval
  conversation: Conversation
}

/** A call that waits for a decision, and what became of it. */
export function ApprovalView({ approval, conversation }: ApprovalViewProps): ReactNode {
  const { id, title, lines, amount, state } = approval
  const label = useId()
  const isOpen = state === 'pending' || state === 'deciding'
  return (
    <section
      aria-labelledby={label}
      className="flex w-full max-w-md flex-col gap-3 rounded-md border border-edge bg-surface p-4"
    >
      <Preview labelId={label} title={title} lines={lines} amount={amount}>
        <StateBadge state={state} />
      </Preview>
      <Outcome approval={approval} />
      {isOpen && (
        <div className="flex flex-wrap gap-2">
          {/* Not disabled: a disabled button loses the keyboard. A second decision does nothing. */}
          <Button
            kind="primary"
            aria-describedby={label}
            aria-disabled={state === 'deciding'}
            onClick={() => conversation.decide(id, 'approve')}
          >
            Approve
          </Button>
          <Button
            aria-describedby={label}
            aria-disabled={state === 'deciding'}
            onClick={() => conversation.decide(id, 'decline')}
          >
            Decline
          </Button>
        </div>
      )}
    </section>
  )
}

const OUTCOMES: Readonly<Partial<Record<Approval['state'], string>>> = {
  approved: 'The call was made.',
  failed: 'The call was made, and failed.',
  unknown: 'The call was sent. Its outcome is unknown.',
  declined: 'The call was not made.',
  expired: 'The approval expired. The call was not made.',
  refused: 'This approval can no longer be decided here.',
}

function Outcome({ approval: { state, problem } }: { approval: Approval }): ReactNode {
  const now = useNow()
  const reason = problem && (state === 'pending' ? problemSentence(problem, now) : problem.detail)
  const sentences = [OUTCOMES[state], reason].filter((text) => text != null)
  return (
    sentences.length > 0 && (
      <p role="status" className="text-sm text-muted [overflow-wrap:anywhere]">
        {sentences.join(' ')}
      </p>
    )
  )
}
