import { Link, type LinkProps } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type ButtonKind = 'primary' | 'secondary' | 'danger' | 'ghost'

const BASE =
  'inline-flex h-9 shrink-0 items-center justify-center gap-2 rounded-md px-3.5 text-sm font-medium whitespace-nowrap ' +
  'transition-colors disabled:opacity-60 aria-disabled:opacity-60'

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent-fill text-white hover:bg-accent-fill-hover',
  secondary: 'border border-edge bg-surface text-ink hover:bg-subtle',
  danger: 'bg-bad-fill text-white hover:brightness-110',
  ghost: 'text-muted hover:bg-subtle hover:text-ink',
}

interface ButtonProps extends ComponentProps<'button'> {
  kind?: ButtonKind
  /** Under way: it stays where it is and takes no second press. */
  isBusy?: boolean
}

export function Button({ kind = 'secondary', isBusy = false, className, children, ...rest }: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled === true || isBusy}
      aria-busy={isBusy}
      className={classNames(BASE, KINDS[kind], className)}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  )
}

/** A link that looks like a button: it leads somewhere and does nothing. */
export function LinkButton({ kind = 'secondary', ...rest }: LinkProps & { kind?: ButtonKind }): ReactNode {
  return <Link {...rest} className={classNames(BASE, KINDS[kind])} />
}

export function Spinner(): ReactNode {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  )
}
