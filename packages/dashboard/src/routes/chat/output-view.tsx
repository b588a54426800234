import type { Action, Conversation, Output, ProductCard, Wait } from '@svc/widget'
import { type ReactNode, useId } from 'react'
import { Button, Spinner } from '../../ui/button.tsx'
import { OutsideLink } from './outside-link.tsx'

interface OutputViewProps {
  output: Output
  conversation: Conversation
  isBusy: boolean
}

/** What a capability gave to be shown: cards without their pictures, what is waited for, and what to do next. */
export function OutputView({ output, conversation, isBusy }: OutputViewProps): ReactNode {
  const { id, cards, actions, wait } = output
  const label = useId()
  return (
    <div className="flex w-full flex-col gap-2">
      {cards.length > 0 && (
        <ul className="grid gap-2 sm:grid-cols-2">
          {placed(cards).map(({ at, one }) => (
            <CardView key={at} card={one} isBusy={isBusy} onReply={(text) => conversation.send(text)} />
          ))}
        </ul>
      )}
      {wait && (
        <div className="flex flex-wrap items-center gap-3 text-sm text-muted">
          {wait.state === 'waiting' && <Spinner />}
          <span id={label}>{waitSentence(wait)}</span>
          {wait.state === 'waiting' && (
            <Button kind="ghost" aria-describedby={label} onClick={() => conversation.cancelWait(id)}>
              Stop waiting
            </Button>
          )}
          {(wait.state === 'expired' || wait.state === 'cancelled') && (
            <Button kind="ghost" aria-describedby={label} onClick={() => conversation.checkAgain(id)}>
              Check again
            </Button>
          )}
        </div>
      )}
      {actions.length > 0 && wait?.state !== 'settled' && (
        <ActionsView actions={actions} isBusy={isBusy} onReply={(text) => conversation.send(text)} />
      )}
    </div>
  )
}

// They have no ids, and never move.
function placed<T>(all: readonly T[]): { at: number; one: T }[] {
  return all.map((one, at) => ({ at, one }))
}

function waitSentence({ state, pending }: Wait): string {
  const { capability } = pending
  switch (state) {
    case 'waiting':
      return `Polling ${capability} until it is settled.`
    case 'settled':
      return `${capability} is settled.`
    case 'expired':
      return `${capability} is not settled yet.`
    case 'cancelled':
      return `Polling of ${capability} was stopped.`
    case 'refused':
      return `${capability} cannot be polled here.`
  }
}

interface Replying {
  isBusy: boolean
  onReply: (text: string) => void
}

function CardView({ card, ...replying }: Replying & { card: ProductCard }): ReactNode {
  const { title, price, description, url, actions } = card
  return (
    <li className="flex min-w-0 flex-col gap-0.5 rounded-md border border-line p-3 text-sm [overflow-wrap:anywhere]">
      <span dir="auto" className="font-medium">
        {url === null ? (
          title
        ) : (
          <OutsideLink url={url} label={title}>
            {title}
          </OutsideLink>
        )}
      </span>
      {description !== null && (
        <span dir="auto" className="text-muted">
          {description}
        </span>
      )}
      {price !== null && <span dir="auto">{price}</span>}
      {actions.length > 0 && <ActionsView actions={actions} {...replying} />}
    </li>
  )
}

function ActionsView({ actions, ...replying }: Replying & { actions: readonly Action[] }): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-2">
      {placed(actions).map(({ at, one }) => (
        <ActionView key={at} action={one} {...replying} />
      ))}
    </div>
  )
}

function ActionView({ action, isBusy, onReply }: Replying & { action: Action }): ReactNode {
  if (action.type === 'link') {
    return (
      <span className="text-sm">
        <OutsideLink url={action.url} label={action.label}>
          {action.label}
        </OutsideLink>
        <Description text={action.description} />
      </span>
    )
  }
  return (
    <Button aria-disabled={isBusy} className="max-w-full" onClick={() => isBusy || onReply(action.value)}>
      <span dir="auto" className="truncate">
        {action.label}
      </span>
      <Description text={action.description} />
    </Button>
  )
}

function Description({ text }: { text: string | null }): ReactNode {
  return (
    text !== null && (
      <span dir="auto" className="ms-2 text-muted">
        {text}
      </span>
    )
  )
}
