import { MessageCircle, Send, Square } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { TurnView } from './turn-view.tsx'
import { useTalk } from './use-talk.ts'

/** A chat with a runtime. Each answer leads to its trace. */
export function Chat({ runtimeId }: { runtimeId: string }): ReactNode {
  const { conversation, turns, isBusy } = useTalk(runtimeId)
  const log = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = log
    if (turns.length > 0) current?.scrollTo({ top: current.scrollHeight })
  }, [turns])
  return (
    <div className="flex flex-col">
      <div
        ref={log}
        role="log"
        aria-label="Conversation"
        aria-busy={isBusy}
        {...SCROLLABLE}
        className="flex max-h-[28rem] min-h-56 flex-col gap-4 overflow-y-auto p-5"
      >
        {turns.length === 0 && (
          <Empty icon={MessageCircle} title="Ask it something">
            It answers as it would on your page. Each question is an execution, and counts.
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

// What scrolls must be reachable with the keyboard.
const SCROLLABLE = { tabIndex: 0 }

interface ComposerProps {
  isBusy: boolean
  onSend: (question: string) => void
  onStop: () => void
  onClear?: () => void
}

function Composer({ isBusy, onSend, onStop, onClear }: ComposerProps): ReactNode {
  const [question, setQuestion] = useState('')
  return (
    <form
      className="flex gap-2 border-t border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (isBusy || question.trim() === '') return
        onSend(question.trim())
        setQuestion('')
      }}
    >
      <input
        aria-label="Your question"
        placeholder="What would a visitor ask?"
        value={question}
        autoComplete="off"
        onChange={(event) => setQuestion(event.target.value)}
        className="h-9 min-w-0 flex-1 rounded-md border border-edge bg-surface px-3 text-sm placeholder:text-muted"
      />
      {onClear && (
        <Button kind="ghost" onClick={onClear}>
          Start over
        </Button>
      )}
      {isBusy ? (
        <Button onClick={onStop}>
          <Square aria-hidden="true" className="size-3.5" />
          Stop
        </Button>
      ) : (
        <Button kind="primary" type="submit">
          <Send aria-hidden="true" className="size-4" />
          Ask
        </Button>
      )}
    </form>
  )
}
