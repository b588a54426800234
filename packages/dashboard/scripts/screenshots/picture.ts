import type { Page } from 'playwright-core'
import type { Stage } from './stage.ts'

/** A picture of the documentation, in `docs/images` as `<name>-light.png` and `<name>-dark.png`. */
export interface Picture {
  name: string
  size: { width: number; height: number }
  /** Leads to the screen and waits until it is complete. */
  show(page: Page, stage: Stage): Promise<void>
}
