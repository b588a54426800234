import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { projectsQuery, runtimesQuery } from '../api/queries.ts'
import { classNames } from '../ui/class-names.ts'
import { Dialog } from '../ui/dialog.tsx'
import { commandsFor, type PaletteCommand } from './palette-commands.ts'
import { useMay } from './role.ts'

const SHOWN = 24

function useKnown() {
  const { data: runtimes = [] } = useQuery(runtimesQuery())
  const { data: projects = [] } = useQuery(projectsQuery)
  return { runtimes, projects, mayChange: useMay().change }
}

/** A search over all screens, runtimes and projects, by the keyboard. The id of an execution leads to its trace. */
export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const list = useId()
  const [typed, setTyped] = useState('')
  const [chosen, choose] = useState(0)
  const known = useKnown()
  const navigate = useNavigate()
  const commands = commandsFor(typed, known).slice(0, SHOWN)
  const at = Math.min(chosen, commands.length - 1)
  // Chosen by the keyboard, it may be out of sight.
  useEffect(() => {
    document.getElementById(`${list}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [list, at])
  const run = (command: PaletteCommand | undefined) => {
    if (!command) return
    onClose()
    if ('href' in command) window.open(command.href, '_blank', 'noopener')
    else void navigate(command.link)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || commands.length === 0) return
    event.preventDefault()
    choose((at + step + commands.length) % commands.length)
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          run(commands[at])
        }}
      >
        <input
          type="search"
          role="combobox"
          aria-label="Go to"
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={commands.length === 0 ? undefined : `${list}-${at}`}
          placeholder="A screen, a runtime, a project or an execution id"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            choose(0)
          }}
          onKeyDown={onKeyDown}
          className="h-10 w-full rounded-md border border-edge bg-surface px-3 text-sm placeholder:text-muted"
        />
        <div id={list} role="listbox" aria-label="Results" className="-mx-2 max-h-80 overflow-y-auto">
          {commands.map((command, place) => (
            <Option
              key={`${command.group} ${command.name}`}
              id={`${list}-${place}`}
              command={command}
              isChosen={place === at}
              onRun={() => run(command)}
              onKeyDown={onKeyDown}
              onMouseMove={() => choose(place)}
            />
          ))}
        </div>
        {commands.length === 0 && (
          <p role="status" className="text-sm text-muted">
            Nothing found.
          </p>
        )}
      </form>
    </Dialog>
  )
}

interface OptionProps {
  id: string
  command: PaletteCommand
  isChosen: boolean
  onRun: () => void
  onKeyDown: (event: KeyboardEvent) => void
  onMouseMove: () => void
}

function Option({ id, command, isChosen, onRun, onKeyDown, onMouseMove }: OptionProps): ReactNode {
  return (
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onRun}
      onKeyDown={onKeyDown}
      onMouseMove={onMouseMove}
      className={classNames(
        'flex cursor-pointer items-baseline justify-between gap-3 rounded-md px-3 py-2 text-sm',
        isChosen && 'bg-accent-soft text-accent',
      )}
    >
      <span className="min-w-0 [overflow-wrap:anywhere]">{command.name}</span>
      <span className="shrink-0 text-xs text-muted">{command.group}</span>
    </div>
  )
}
