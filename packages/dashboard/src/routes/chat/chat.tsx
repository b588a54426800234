import { isDemo } from '@svc/widget'
import { Send, Square } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SCROLLABLE } from '../../ui/scrollable.ts'
import { type Suggested, Suggestions } from './suggestions.tsx'
import { TurnView } from './turn-view.tsx'
import { useKeptFocus } from './use-kept-focus.ts'
import { useTalk } from './use-talk.ts'

interface ChatProps {
  runtimeId: string
  /** What questions are suggested for. */
  capabilities: readonly Suggested[]
  /** Of the end user that is acted for. */
  endUserToken?: string
}

/** A chat with a runtime. Each answer leads to its trace. */
export function Chat({ runtimeId, capabilities, endUserToken = '' }: ChatProps): ReactNode {
  const { conversation, turns, isBusy } = useTalk(runtimeId, endUserToken)
  const log = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = log
    if (turns.length > 0) current?.scrollTo({ top: current.scrollHeight })
  }, [turns])
  const focusHandlers = useKeptFocus(log, turns)
  return (
    <div className="flex flex-col">
      {turns.some(isDemo) && (
        <p className="border-b border-line px-5 py-2.5 text-xs text-muted">
          Demo model: answers come from rules, without language understanding.
        </p>
      )}
      <div
        ref={log}
        role="log"
        aria-label="Conversation"
        aria-busy={isBusy}
        {...focusHandlers}
        {...SCROLLABLE}
        className="flex max-h-[36rem] min-h-72 flex-col gap-4 overflow-y-auto p-5"
      >
        {turns.length === 0 && (
          <Empty
            picture="talk"
            title="Ask a question"
            action={<Suggestions capabilities={capabilities} onChoose={(question) => conversation.send(question)} />}
          >
            The runtime answers as on your page. Each question counts as an execution.
          </Empty>
        )}
        {turns.map((turn) => (
          <TurnView
            key={turn.id}
            turn={turn}
            conversation={conversation}
            isBusy={isBusy}
            isLast={turn === turns.at(-1)}
          />
        ))}
      </div>
      <Composer
        isBusy={isBusy}
        onSend={(question) => conversation.send(question)}
        onStop={() => conversation.stop()}
        {...(turns.length > 0 && !isBusy && { onClear: () => conversation.clear() })}
      />
    </div>
  )
}

interface ComposerProps {
  isBusy: boolean
  onSend: (question: string) => void
  onStop: () => void
  onClear?: () => void
}

function Composer({ isBusy, onSend, onStop, onClear }: ComposerProps): ReactNode {
  const [question, setQuestion] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const ask = () => {
    if (isBusy || question.trim() === '') return
    onSend(question.trim())
    setQuestion('')
  }
  return (
    <form
      className="flex flex-wrap justify-end gap-2 border-t border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        ask()
      }}
    >
      <input
        ref={input}
        aria-label="Your question"
        placeholder="What would a visitor ask?"
        value={question}
        autoComplete="off"
        onChange={(event) => setQuestion(event.target.value)}
        className="h-9 min-w-0 flex-1 rounded-md border border-edge bg-surface px-3 text-sm placeholder:text-muted max-sm:basis-full"
      />
      {onClear && (
        <Button
          kind="ghost"
          onClick={() => {
            onClear()
            input.current?.focus()
          }}
        >
          Start over
        </Button>
      )}
      {/* One button, which keeps the keyboard, and submits nothing: stopping would send what is typed. */}
      <Button kind={isBusy ? 'secondary' : 'primary'} onClick={isBusy ? onStop : ask}>
        {isBusy ? <Square aria-hidden="true" className="size-3.5" /> : <Send aria-hidden="true" className="size-4" />}
        {isBusy ? 'Stop' : 'Ask'}
      </Button>
    </form>
  )
}
