import type { ReactNode } from 'react'

/** What will be there, in outline. */
export type EmptyPicture = 'rows' | 'bars' | 'talk'

interface EmptyProps {
  picture: EmptyPicture
  title: string
  children?: ReactNode
  action?: ReactNode
  /** Where it is all that a screen has. */
  heading?: 'p' | 'h1'
}

/** Nothing here yet: an outline of what will be here, and how it comes to be. */
export function Empty({ picture, title, children, action, heading: Heading = 'p' }: EmptyProps): ReactNode {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-10 text-center">
      <svg viewBox="0 0 240 84" aria-hidden="true" className="h-21 w-60 max-w-full fill-subtle stroke-line">
        {PICTURES[picture]}
      </svg>
      <Heading className="font-semibold">{title}</Heading>
      {children !== undefined && <div className="max-w-md text-sm text-muted">{children}</div>}
      {action}
    </div>
  )
}

const BARS = [22, 34, 28, 52, 40, 62, 48, 30, 56, 68]

const PICTURES: Readonly<Record<EmptyPicture, ReactNode>> = {
  rows: [4, 32, 60].map((y, row) => (
    <g key={y} opacity={1 - row * 0.3}>
      <rect x="1" y={y} width="238" height="20" rx="5" className="fill-surface" />
      <rect x="9" y={y + 7} width={70 - row * 12} height="6" rx="3" stroke="none" className="fill-edge" />
      <rect x="112" y={y + 5} width="40" height="10" rx="5" stroke="none" className="fill-accent-soft" />
      <rect x="190" y={y + 7} width="40" height="6" rx="3" stroke="none" />
    </g>
  )),
  bars: BARS.map((height, place) => (
    <rect
      key={height}
      x={8 + place * 23}
      y={78 - height}
      width="15"
      height={height}
      rx="3"
      className="fill-accent-soft"
    />
  )),
  talk: (
    <>
      <rect x="110" y="6" width="124" height="24" rx="12" stroke="none" className="fill-accent-soft" />
      <rect x="6" y="40" width="160" height="38" rx="12" />
      <rect x="18" y="51" width="120" height="5" rx="2.5" stroke="none" className="fill-edge" />
      <rect x="18" y="63" width="84" height="5" rx="2.5" stroke="none" className="fill-edge" />
    </>
  ),
}
