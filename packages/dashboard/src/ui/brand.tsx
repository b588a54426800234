import type { ReactNode } from 'react'

export function Brand(): ReactNode {
  return (
    <span className="inline-flex items-center gap-2.5 font-semibold tracking-tight">
      <svg viewBox="0 0 32 32" aria-hidden="true" className="size-7">
        <rect width="32" height="32" rx="8" className="fill-accent-fill" />
        <path
          d="M9 12.5 16 8l7 4.5v7L16 24l-7-4.5z"
          fill="none"
          stroke="#fff"
          strokeWidth="2.2"
          strokeLinejoin="round"
        />
        <circle cx="16" cy="16" r="2.6" fill="#fff" />
      </svg>
      svc
    </span>
  )
}
