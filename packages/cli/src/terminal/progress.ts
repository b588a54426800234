import type { Output, Timers } from '../deps.ts'
import { printable } from './printable.ts'

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
const INTERVAL_MS = 100
const CLEAR_LINE = '\r\u001b[K'

export type Progress = {
  /** Shows the text until the function returned is called. What was shown before it gives way. */
  readonly show: (text: string) => () => void
  /** Takes the line away, so that something else can be written; the next tick draws it again. */
  readonly hide: () => void
}

/** One line that says what is going on and for how long already. Work that ends within a tick is never shown. */
export function createProgress(output: Output, timers: Timers): Progress {
  let done: () => void = () => undefined
  let isDrawn = false
  const hide = () => {
    if (isDrawn) output.write(CLEAR_LINE)
    isDrawn = false
  }
  const show = (text: string) => {
    done()
    const startedAt = timers.now()
    let ticks = 0
    const cancel = timers.every(INTERVAL_MS, () => {
      const frame = FRAMES.charAt(ticks % FRAMES.length)
      output.write(`${CLEAR_LINE}${frame} ${fitted(printable(text), timers.now() - startedAt, output.columns)}`)
      ticks += 1
      isDrawn = true
    })
    const end = () => {
      cancel()
      if (done === end) hide()
    }
    done = end
    return end
  }
  return { show, hide }
}

// A line that wraps could not be taken away again. Terminals without a size say 0.
function fitted(text: string, elapsedMs: number, columns: number | undefined): string {
  const elapsed = elapsedMs < 1000 ? '' : ` ${Math.floor(elapsedMs / 1000)} s`
  return `${text.slice(0, Math.max(0, (columns || 80) - elapsed.length - 3))}${elapsed}`
}
