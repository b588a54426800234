import type { ReactNode } from 'react'
import './help-desk.css'

export const metadata = { title: 'Help desk', description: 'Articles, and tickets for what they do not solve.' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
