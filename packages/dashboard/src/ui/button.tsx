import { Link, type LinkProps } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { useOnce } from './use-once.ts'

export type ButtonKind = 'primary' | 'secondary' | 'danger' | 'ghost'

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-md text-sm font-medium whitespace-nowrap ' +
  'transition-colors disabled:opacity-60 aria-disabled:opacity-60'

const SIZES = { normal: 'h-9 px-3.5', small: 'h-8 px-2.5', icon: 'size-7' }

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent-fill text-white hover:bg-accent-fill-hover',
  secondary: 'border border-edge bg-surface text-ink hover:bg-subtle',
  danger: 'bg-bad-fill text-white hover:brightness-110',
  ghost: 'text-muted hover:bg-subtle hover:text-ink',
}

interface ButtonProps extends ComponentProps<'button'> {
  kind?: ButtonKind
  size?: keyof typeof SIZES
  /** A request is under way: it stays where it is and takes no second press. */
  isBusy?: boolean
}

export function Button(props: ButtonProps): ReactNode {
  const { kind = 'secondary', size = 'normal', isBusy, className, children, onClick, ...rest } = props
  const once = useOnce(isBusy === true)
  return (
    <button
      type="button"
      {...rest}
      onClick={(event) => (isBusy === undefined ? onClick?.(event) : once(() => onClick?.(event)))}
      disabled={rest.disabled === true || isBusy === true}
      aria-busy={isBusy}
      className={classNames(BASE, SIZES[size], KINDS[kind], className)}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  )
}

/** A link that looks like a button: it leads somewhere and does nothing. */
export function LinkButton(props: LinkProps & Pick<ButtonProps, 'kind' | 'size'>): ReactNode {
  const { kind = 'secondary', size = 'normal', ...rest } = props
  return <Link {...rest} className={classNames(BASE, SIZES[size], KINDS[kind])} />
}

export function Spinner(): ReactNode {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  )
}
