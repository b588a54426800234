import { Bot, type LucideIcon, Settings2, UserRound, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'

const ROLES: Readonly<Record<Schemas['TurnShape']['role'], { icon: LucideIcon; label: string }>> = {
  user: { icon: UserRound, label: 'User' },
  assistant: { icon: Bot, label: 'Assistant' },
  tool: { icon: Wrench, label: 'Capabilities' },
  system: { icon: Settings2, label: 'System' },
}

const PARTS = { text: 'text', tool_call: 'call', tool_result: 'result' }

/** The turns of the conversation in their order, by who spoke and in what kinds of parts. Nobody keeps what was said. */
export function MessageStrip({ shape }: { shape: Schemas['Trace']['messageShape'] }): ReactNode {
  const turns = shape.map((turn, place) => ({ ...turn, place }))
  return (
    <ol className="flex flex-wrap gap-2">
      {turns.map(({ place, role, parts }) => {
        const { icon: Icon, label } = ROLES[role]
        return (
          <li key={place} className="flex items-center gap-2 rounded-md border border-line px-2.5 py-1.5 text-sm">
            <Icon aria-hidden="true" className="size-4 text-muted" />
            <span className="font-medium">{label}</span>
            <span className="text-muted">{partsOf(parts)}</span>
          </li>
        )
      })}
    </ol>
  )
}

/** `text, 2 calls`. */
function partsOf(parts: Schemas['TurnShape']['parts']): string {
  const counts = new Map<string, number>()
  for (const { type } of parts) counts.set(PARTS[type], (counts.get(PARTS[type]) ?? 0) + 1)
  return Array.from(counts, ([name, count]) => (count === 1 ? name : `${count} ${name}s`)).join(', ')
}
