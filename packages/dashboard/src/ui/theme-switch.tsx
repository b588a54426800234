import { Monitor, Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { THEMES, useTheme } from './theme.ts'

const ICONS = { system: Monitor, light: Sun, dark: Moon }
const LABELS = { system: 'System', light: 'Light', dark: 'Dark' }

/** Light, dark, or whatever the system says. */
export function ThemeSwitch(): ReactNode {
  const [theme, choose] = useTheme()
  return (
    <fieldset className="flex rounded-md bg-subtle p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((name) => {
        const Icon = ICONS[name]
        return (
          <label
            key={name}
            title={LABELS[name]}
            className={classNames(
              'grid h-7 flex-1 cursor-pointer place-items-center rounded px-2 text-muted has-focus-visible:outline-2 has-focus-visible:outline-accent',
              theme === name && 'bg-surface text-ink ring-1 ring-edge',
            )}
          >
            <input
              type="radio"
              name="theme"
              className="sr-only"
              checked={theme === name}
              onChange={() => choose(name)}
            />
            <span className="sr-only">{LABELS[name]}</span>
            <Icon aria-hidden="true" className="size-3.5" />
          </label>
        )
      })}
    </fieldset>
  )
}
